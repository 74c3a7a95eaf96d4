# Comments of crosslane.hpp for Doxygen.
s,^(.*[^ ].*[;{]) +// ,\1 ///< ,
s,^( *)//( |$),\1///\2,
