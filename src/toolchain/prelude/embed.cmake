# cmake -DOUTPUT=file.cpp -DFOLDER=toolchain/prelude "-DFILES=a.h b.h" -P embed.cmake: writes a source with the files as strings.
set(entries "")
string(REPLACE " " ";" files "${FILES}")
foreach(name IN LISTS files)
  file(READ ${FOLDER}/${name} text)
  string(APPEND entries "    {\"${name}\", R\"prelude(${text})prelude\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by toolchain/prelude/embed.cmake.
#include \"toolchain/prelude.h\"

namespace crosslane::toolchain {

std::span<const PreludeFile> prelude_files() {
  static constexpr PreludeFile files[] = {
${entries}  };
  return files;
}

}  // namespace crosslane::toolchain
")
