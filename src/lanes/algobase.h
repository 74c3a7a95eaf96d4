// Owns where std::min, max and copy come from. All of <algorithm>, which has the ranges' too, takes as long to compile
// as a fifth of lanes/.
#pragma once
#if __has_include(<bits/stl_algobase.h>) // libstdc++
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif
