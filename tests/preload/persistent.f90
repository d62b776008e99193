! A persistent bcast by Fortran 2008's bindings, started one by one and together. An ordinary program.
program persistent
  use mpi_f08
  implicit none
  type(MPI_Request) :: request(1)
  integer, asynchronous :: x(2)
  integer :: k, rank, wrong = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Bcast_init(x, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request(1))
  do k = 1, 6
    x = merge(k, 0, rank == 0)
    if (mod(k, 2) == 0) then
      call MPI_Start(request(1))
    else
      call MPI_Startall(1, request)
    end if
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(x)
    if (any(x /= k)) wrong = wrong + 1
  end do
  call MPI_Request_free(request(1))
  if (request(1) /= MPI_REQUEST_NULL) wrong = wrong + 1
  call MPI_Finalize()
  if (wrong > 0) stop 1
end program
