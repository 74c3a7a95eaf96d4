// An instruction may be in several blocks, whose rows are one line then.
#include "timing/formats/course.h"
#include "isa/classify.h"
#include "isa/print.h"
#include <map>

namespace crosslane::timing::formats {

namespace {

Category category_of(const isa::Instruction& i) {
  switch (isa::unit(i)) {
  case isa::Unit::salu: return Category::salu;
  case isa::Unit::valu: return Category::valu;
  case isa::Unit::smem: return Category::smem;
  case isa::Unit::vmem: return Category::vmem;
  case isa::Unit::flat: return Category::flat;
  case isa::Unit::lds:
  case isa::Unit::gds: return Category::lds;
  case isa::Unit::branch: return Category::jump;
  case isa::Unit::export_:
  case isa::Unit::message: return Category::message;
  case isa::Unit::internal: return Category::immediate;
  }
  return Category::none;
}

} // namespace

Course course_of(const replay::Replay& replay, const replay::Machine& machine,
                 const std::function<uint64_t(uint64_t)>& to_object,
                 const std::function<std::string(uint64_t)>& source_of) {
  Course course{.recording = replay.recording(), .machine = machine, .figures = replay.figures()};
  struct Where {
    const events::Site* site;
    replay::Row row;
    std::vector<uint32_t> rows;
  };
  std::map<uint64_t, Where> all;
  replay.program().for_each([&](const replay::BlockRows& block) {
    for (uint32_t i = 0; i < block.rows.size(); ++i) {
      const events::Site& site = block.block->sites[i];
      all.try_emplace(site.pc, Where{&site, block.rows[i], {}}).first->second.rows.push_back(block.first + i);
    }
  });
  course.line.resize(replay.program().count());
  for (const auto& [pc, where] : all) {
    CodeLine line{.address = to_object(pc),
                  .text = isa::print(*where.site->instruction),
                  .source = source_of(pc),
                  .category = category_of(*where.site->instruction),
                  .flops = flops(*where.site->instruction),
                  .row = where.row};
    for (const uint32_t row : where.rows) {
      course.line[row] = uint32_t(course.code.size());
      if (row < course.recording.rows.size())
        line.times.add(course.recording.rows[row]);
    }
    course.code.push_back(std::move(line));
  }
  return course;
}

} // namespace crosslane::timing::formats
