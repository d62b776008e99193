! A persistent broadcast, started alone and together with another, where MPI has them.
program started
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(MPIF_H)
    include 'mpif.h'
#endif
#if defined(USE_MPI_F08)
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    integer, asynchronous :: first(100), second(100)
    integer :: rank, ierr, round
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Bcast_init(first, 100, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierr)
    call MPI_Bcast_init(second, 100, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierr)
    do round = 1, 3
        first = merge(round, -1, rank == 0)
        second = merge(-round, 1, rank == 0)
        if (round == 1) then
            call MPI_Start(requests(1), ierr)
            call MPI_Start(requests(2), ierr)
        else
            call MPI_Startall(2, requests, ierr)
        end if
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
        if (any(first /= round) .or. any(second /= -round)) stop 1
    end do
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call MPI_Finalize(ierr)
end program
