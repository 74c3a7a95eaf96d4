// counter_collection.csv, read back as a tool would.
#include "report/counter_csv.h"
#include "tests/findings/made_up.h"
#include <map>
#include <sstream>

namespace crosslane::report {

using namespace findings;
namespace {

using Row = std::map<std::string, std::string>;

// RFC 4180: quotes inside of quotes are doubled.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i)
    if (line[i] == '"' && inside && line.substr(i + 1, 1) == "\"")
      result.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      result.emplace_back();
    else
      result.back() += line[i];
  return result;
}

std::vector<Row> rows(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  const auto names = fields(line);
  std::vector<Row> result;
  while (std::getline(in, line)) {
    const auto cells = fields(line);
    EXPECT_EQ(cells.size(), names.size()) << line;
    auto& row = result.emplace_back();
    for (size_t i = 0; i < std::min(cells.size(), names.size()); ++i)
      row[names[i]] = cells[i];
  }
  return result;
}

Profile profile() {
  made_up::Kernel a("_Z4saxpPfi.kd"), b("plain");
  a.k.grid[0] = 1000, a.k.grid[1] = 3, a.k.block[0] = 128, a.k.block[1] = 2, a.k.lds_bytes = 513,
  a.k.scratch_bytes = 16;
  a.k.agprs = 4, a.k.seconds = 0.002;
  a.k.counters = {{"SQ_WAVES", 128.0, "waves", "", ""},
                  {"GRBM_COUNT", {}, "clocks", "", "no cycles"},
                  {"LDSBankConflict", 0.0625, "%", "", ""},
                  {"SQ_INSTS_VALU", 0.0, "", "", ""}};
  b.k.counters = {{"SQ_WAVES", 7.25, "waves", "", ""}};
  b.k.seconds = 0.001;
  Profile p;
  p.kernels = {a.k, b.k};
  return p;
}

TEST(CounterCsv, FormOfRocprofv3) {
  const std::string text = counter_csv(profile());
  // The header and the first row, as rocprofv3 would write them.
  EXPECT_EQ(
      text.substr(0, text.find('\n', text.find('\n') + 1) + 1),
      "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\",\"Grid_Size\","
      "\"Kernel_Id\","
      "\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\","
      "\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
      "1,1,\"Agent 1\",1,0,0,3000,1,\"saxp(float*, int)\",256,1024,16,8,4,16,\"SQ_WAVES\",128.000000,0,2000000\n");
}

TEST(CounterCsv, ReadBack) {
  const auto all = rows(counter_csv(profile()));
  ASSERT_EQ(all.size(), 4u); // what is not modelled has no row
  EXPECT_EQ(all[1].at("Counter_Name"), "LDSBankConflict");
  EXPECT_EQ(all[1].at("Counter_Value"), "6.25000000e-02");
  EXPECT_EQ(std::stod(all[2].at("Counter_Value")), 0);
  EXPECT_EQ(all[3].at("Dispatch_Id"), "2");
  EXPECT_EQ(all[3].at("Kernel_Name"), "plain");
  EXPECT_EQ(all[3].at("Counter_Value"), "7.250000");
  EXPECT_EQ(all[3].at("Start_Timestamp"), "2000000");
  EXPECT_EQ(all[3].at("End_Timestamp"), "3000000");
}

TEST(CounterCsv, NamesWithQuotes) {
  Profile p = profile();
  p.kernels[0].name = "operator\"\" x, y";
  EXPECT_EQ(rows(counter_csv(p))[0].at("Kernel_Name"), "operator\"\" x, y");
}

TEST(CounterCsv, NoKernelIsAHeader) {
  const std::string text = counter_csv({});
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

} // namespace
} // namespace crosslane::report
