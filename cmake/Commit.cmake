# cmake -DSOURCE=... -DOUTPUT=... -P Commit.cmake: writes the commit that is built, for `crosslane --version` and manual pages. Runs at every
# build, since no file of the tree changes with the commit; the output only changes with it.
set(commit "")
set(date "")
if(EXISTS ${SOURCE}/.git) # else an archive, perhaps inside of somebody else's repository
  execute_process(COMMAND git describe --always --dirty=-modified --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND git log -1 --format=%cs WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define CROSSLANE_COMMIT \"${commit}\"\n#define CROSSLANE_COMMIT_DATE \"${date}\"\n")
