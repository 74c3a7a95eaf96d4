// .npy files: bytes that NumPy 1.24 wrote, read here; what is written here is the same bytes.
#include "launch/npy.h"
#include "tests/expected.h"
#include <fmt/format.h>

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

std::vector<uint8_t> from_hex(std::string_view hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}
// A header as NumPy lays it out, around the dictionary that NumPy wrote.
std::vector<uint8_t> file(std::string_view dictionary, std::string_view data, int version = 1) {
  const size_t fixed = version == 1 ? 10 : 12;
  std::string header(dictionary);
  header.append(128 - fixed - header.size() - 1, ' ');
  header += '\n';
  std::vector<uint8_t> bytes = from_hex("934e554d5059");
  bytes.insert(bytes.end(), {static_cast<uint8_t>(version), 0, static_cast<uint8_t>(header.size()), 0});
  if (version > 1)
    bytes.insert(bytes.end(), {0, 0});
  bytes.insert(bytes.end(), header.begin(), header.end());
  const auto more = from_hex(data);
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

// numpy.save of arange(6, dtype='<f4').reshape(2, 3), whole.
const auto matrix =
    from_hex("934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c"
             "73652c20277368617065273a2028322c2033292c207d2020202020202020202020202020202020202020202020202020"
             "20202020202020202020202020202020202020202020202020202020202020200a000000000000803f00000040000040"
             "40000080400000a040");

TEST(Npy, ReadsAndWritesWhatNumPyWrites) {
  const Buffer buffer = value_of(parse_npy(matrix, "m.npy"));
  EXPECT_EQ(buffer.type, Type::f32);
  EXPECT_EQ(buffer.shape, (std::vector<uint64_t>{2, 3}));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(load(Type::f32, buffer.bytes.data() + 4 * i).real, i);
  EXPECT_EQ(format_npy(buffer), matrix);
}

TEST(Npy, Versions2And3) {
  const Buffer two =
      value_of(parse_npy(file("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }", "0100feff2c01", 2), "x"));
  EXPECT_EQ(two.type, Type::i16);
  EXPECT_EQ(load(Type::i16, two.bytes.data() + 2).integer, -2);
  const Buffer three = value_of(
      parse_npy(file("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", "ffffffffffffffff", 3), "x"));
  EXPECT_EQ(format(three.type, three.bytes.data()), "18446744073709551615");
  EXPECT_HAS(error_of(parse_npy(file("{}", "", 4), "x.npy")), "version 4.0");
}

TEST(Npy, EveryTypeAndShape) {
  static constexpr struct {
    const char* descr;
    Type type;
  } types[] = {{"|i1", Type::i8},  {"<i2", Type::i16}, {"<i4", Type::i32}, {"<i8", Type::i64},
               {"|u1", Type::u8},  {"<u2", Type::u16}, {"<u4", Type::u32}, {"<u8", Type::u64},
               {"<f2", Type::f16}, {"<f4", Type::f32}, {"<f8", Type::f64}, {"|b1", Type::b1}};
  for (const auto& row : types) {
    const auto bytes = file(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}", row.descr),
                            std::string(size_of(row.type) * 4, '0'));
    const Buffer buffer = value_of(parse_npy(bytes, "x"));
    EXPECT_EQ(buffer.type, row.type);
    EXPECT_EQ(format_npy(buffer), bytes) << row.descr;
  }
  EXPECT_EQ(
      value_of(parse_npy(file("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0000000000000440"), "x"))
          .count(),
      1u);
  EXPECT_EQ(value_of(parse_npy(file("{'descr': '<f2', 'fortran_order': False, 'shape': (0, 4), }", ""), "x")).count(),
            0u);
  // Fortran order of one dimension is C order.
  EXPECT_EQ(value_of(parse_npy(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2,), }", "0102"), "x")).count(),
            2u);
}

TEST(Npy, WhatIsNotSupportedSaysWhatToDo) {
  const auto error = [](std::string_view dictionary, std::string_view data) {
    return error_of(parse_npy(file(dictionary, data), "x.npy"));
  };
  EXPECT_HAS(error("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }", "00000000020000000100000003000000"),
             "x.npy: Fortran order; save numpy.ascontiguousarray(array)");
  EXPECT_HAS(error("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "00000001"), "big-endian");
  EXPECT_HAS(error("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "00000000"), "structured");
  EXPECT_HAS(error("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "0000000000000000"),
             "'<c8' is not supported");
  EXPECT_HAS(error("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", "00000000"),
             "i32[2] needs 8 bytes, the file has 4");
  EXPECT_HAS(error("{'descr': '<i4', 'fortran_order': Maybe, 'shape': (2,), }", ""), "damaged .npy header");
  EXPECT_HAS(error("{'descr': '<i8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", ""),
             "impossible shape");
}

TEST(Npy, EveryTruncationIsAnError) {
  for (size_t size = 0; size < matrix.size(); ++size)
    EXPECT_NE(error_of(parse_npy(std::span(matrix).first(size), "x.npy")), "") << size;
}

TEST(Npy, EveryDamagedHeaderByteIsReadOrRefused) {
  for (size_t at = 0; at < 128; ++at)
    for (const int change : {1, 0x20, 0x80}) {
      auto bytes = matrix;
      bytes[at] = static_cast<uint8_t>(bytes[at] ^ change);
      if (auto buffer = parse_npy(bytes, "x.npy"))
        EXPECT_EQ(buffer->count() * size_of(buffer->type), buffer->bytes.size());
      else
        llvm::consumeError(buffer.takeError());
    }
}

} // namespace
} // namespace crosslane::launch
