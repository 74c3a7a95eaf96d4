# cmake -DOUTPUT=file.cpp -DFOLDER=cli/prelude "-DFILES=a.h b.h" -P embed.cmake: writes a source with the files as strings.
set(entries "")
string(REPLACE " " ";" files "${FILES}")
foreach(name IN LISTS files)
  file(READ ${FOLDER}/${name} text)
  string(APPEND entries "    {\"${name}\", R\"prelude(${text})prelude\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cli/prelude/embed.cmake.
#include \"cli/prelude.h\"

namespace crosslane::cli {

std::span<const PreludeFile> prelude_files() {
  static constexpr PreludeFile files[] = {
${entries}  };
  return files;
}

}  // namespace crosslane::cli
")
