! OpenMP in Fortran by GCC: array sections, reductions, a module variable and a function on the device, a print there.
module device_side
  implicit none
  integer :: weight = 4
  !$omp declare target(weight)
contains
  integer function weighted(x)
    !$omp declare target
    integer, intent(in) :: x
    weighted = x * weight + 1
  end function
end module

program openmp_fortran
  use omp_lib
  use device_side
  implicit none
  integer, parameter :: n = 3000
  integer :: i, j, a(n), b(n)
  integer(8) :: total
  real(8) :: matrix(40, 30), product, expected
  logical :: on_host

  on_host = .true.
  !$omp target map(from: on_host)
  on_host = omp_is_initial_device()
  !$omp end target
  if (on_host) error stop "the target region ran on the host"

  a = [(mod(i, 101), i = 1, n)]
  b = 0
  total = 0
  !$omp target teams distribute parallel do reduction(+: total) map(to: a) map(from: b)
  do i = 1, n
    b(i) = weighted(a(i))
    total = total + b(i)
  end do
  do i = 1, n
    if (b(i) /= mod(i, 101) * 4 + 1) error stop "an element is wrong"
  end do
  if (total /= sum(int(b, 8))) error stop "the sum is wrong"

  product = 0
  expected = 0
  !$omp target data map(alloc: matrix)
  !$omp target teams distribute parallel do collapse(2)
  do j = 1, 30
    do i = 1, 40
      matrix(i, j) = i + 100d0 * j
    end do
  end do
  !$omp target teams distribute parallel do reduction(+: product)
  do j = 1, 30
    product = product + sqrt(matrix(j, j))
  end do
  !$omp target update from(matrix(2:3, 5:5))
  !$omp end target data
  if (matrix(3, 5) /= 503d0) error stop "an array section is wrong"
  do j = 1, 30
    expected = expected + sqrt(101d0 * j)
  end do
  if (abs(product - expected) > 1d-9) error stop "the sum of roots is wrong"

  print '(a, i0, a, f10.4)', "sum ", total, ", roots ", product
  print '(a)', "PASS"
end program
