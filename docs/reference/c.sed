# Comments of crosslane.h for Doxygen: behind a declaration, and before one.
s,^(.*[^ ].*[;,{]|.*CROSSLANE_[A-Z0-9_]+( = [0-9]+)?) +/\* ,\1 /**< ,
/^\/\* ----/!s,^( *)/\*( |$),\1/**\2,
