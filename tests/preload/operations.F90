! Every collective as a Fortran program calls it, with known results, also in place and where nothing
! but an address is given. One source for the three bindings: -DMPIF_H, -DUSE_MPI, -DUSE_MPI_F08.
module check
    implicit none
    integer :: differences = 0, rank, n
contains
    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (.not. holds) then
            differences = differences + 1
            print '(a,i0,a,a)', 'rank ', rank, ': ', what
        end if
    end subroutine
end module

! Not commutative: what comes from the first rank stays.
subroutine keep_first(in, inout, length, type)
    implicit none
    integer :: length, type, in(length), inout(length)
    if (type == type) inout = in
end subroutine

program operations
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    use check
    implicit none
#if defined(MPIF_H)
    include 'mpif.h'
#endif
    integer :: ierror, times, total

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
    do times = 1, 3
        call from_one()
        call to_one()
        call from_all()
        call combined()
        call in_place()
    end do
    call with_neighbours()
    call with_types_of_neighbours()
    do times = 1, 2 ! what is to be run is decided in between
        call begun()
        call MPI_Allreduce(times, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    end do
#if defined(USE_MPI_F08)
    call without_ierror()
#else
    call at_bottom()
    call of_the_user()
#endif
    call MPI_Allreduce(differences, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
    if (differences + total > 0) stop 1
contains
    subroutine from_one()
        integer :: a(3), all(2 * n), two(2), counts(n), places(n), total, q
        double precision :: d
        character(5) :: word
        word = merge('hello', '     ', rank == n - 1)
        call MPI_Bcast(word, 5, MPI_CHARACTER, n - 1, MPI_COMM_WORLD, ierror)
        call expect(word == 'hello' .and. ierror == MPI_SUCCESS, 'bcast of characters')
        a = merge([1, 2, 3], [0, 0, 0], rank == 0)
        call MPI_Bcast(a, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect(all_equal(a, [1, 2, 3]), 'bcast of integers')
        d = merge(0.5d0, 0d0, rank == 0)
        call MPI_Bcast(d, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
        call expect(d == 0.5d0, 'bcast of a double')
        all = [(q, q = 1, 2 * n)]
        call MPI_Scatter(all, 2, MPI_INTEGER, two, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
        call expect(all_equal(two, [2 * rank + 1, 2 * rank + 2]), 'scatter')
        call blocks(counts, places, total)
        call scatter_blocks(counts, places, total)
    end subroutine

    ! Blocks of 1, 2, ... integers.
    subroutine blocks(counts, places, total)
        integer, intent(out) :: counts(n), places(n), total
        integer :: q
        counts = [(q, q = 1, n)]
        places = [(q * (q - 1) / 2, q = 1, n)]
        total = n * (n + 1) / 2
    end subroutine

    subroutine scatter_blocks(counts, places, total)
        integer, intent(in) :: counts(n), places(n), total
        integer :: all(total), own(n), back(total), q
        all = [(7 * q, q = 1, total)]
        own = -1
        back = -1
        call MPI_Scatterv(all, counts, places, MPI_INTEGER, own, rank + 1, MPI_INTEGER, n - 1, &
                          MPI_COMM_WORLD, ierror)
        call expect(all_equal(own(1:rank + 1), all(places(rank + 1) + 1:places(rank + 1) + rank + 1)), &
                    'scatterv')
        call MPI_Gatherv(own, rank + 1, MPI_INTEGER, back, counts, places, MPI_INTEGER, 0, &
                         MPI_COMM_WORLD, ierror)
        call expect(rank /= 0 .or. all_equal(back, all), 'gatherv')
        back = -1
        call MPI_Allgatherv(own, rank + 1, MPI_INTEGER, back, counts, places, MPI_INTEGER, &
                            MPI_COMM_WORLD, ierror)
        call expect(all_equal(back, all), 'allgatherv')
    end subroutine

    subroutine to_one()
        integer :: all(2 * n), q
        all = -1
        call MPI_Gather([rank, -rank], 2, MPI_INTEGER, all, 2, MPI_INTEGER, n - 1, MPI_COMM_WORLD, &
                        ierror)
        call expect(rank /= n - 1 .or. all_equal(all(1::2), [(q, q = 0, n - 1)]), 'gather')
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call expect(ierror == MPI_SUCCESS, 'barrier')
    end subroutine

    subroutine from_all()
        integer :: all(n), to(n), counts(n), places(n), q
        call MPI_Allgather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect(all_equal(all, [(q, q = 0, n - 1)]), 'allgather')
        to = [(100 * rank + q, q = 0, n - 1)]
        call MPI_Alltoall(to, 1, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call expect(all_equal(all, [(100 * q + rank, q = 0, n - 1)]), 'alltoall')
        counts = 1
        places = [(n - q, q = 1, n)]
        call MPI_Alltoallv(to, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                           MPI_COMM_WORLD, ierror)
        call expect(all_equal(all, [(100 * (n - q) + n - 1 - rank, q = 1, n)]), 'alltoallv')
        all = -1
        call MPI_Alltoallw(to, counts, 4 * places, [(MPI_INTEGER, q = 1, n)], all, counts, &
                           4 * places, [(MPI_INTEGER, q = 1, n)], MPI_COMM_WORLD, ierror)
        call expect(all_equal(all, [(100 * (n - q) + n - 1 - rank, q = 1, n)]), 'alltoallw')
    end subroutine

    subroutine combined()
        integer :: sum(2), counts(n), all(2 * n), q
        double precision :: d
        logical :: some
        complex :: product
        call MPI_Reduce([rank, 1], sum, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
        call expect(rank /= 0 .or. all_equal(sum, [n * (n - 1) / 2, n]), 'reduce')
        call MPI_Allreduce(dble(rank), d, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
        call expect(d == n - 1, 'allreduce of doubles')
        call MPI_Allreduce(rank == n - 1, some, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
        call expect(some, 'allreduce of logicals')
        call MPI_Allreduce((0., 1.), product, 1, MPI_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierror)
        call expect(product == (0., 1.)**n, 'allreduce of complex numbers')
        call MPI_Allreduce([rank, -rank], sum, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
        call expect(all_equal(sum, [n - 1, 1 - n]), 'allreduce of pairs')
        all = [(q, q = 1, 2 * n)]
        counts = 2
        call MPI_Reduce_scatter(all, sum, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(all_equal(sum, n * [2 * rank + 1, 2 * rank + 2]), 'reduce_scatter')
        call MPI_Reduce_scatter_block(all, sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(all_equal(sum, n * [2 * rank + 1, 2 * rank + 2]), 'reduce_scatter_block')
        call MPI_Scan([rank, 1], sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(all_equal(sum, [rank * (rank + 1) / 2, rank + 1]), 'scan')
        call MPI_Exscan([rank, 1], sum, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(rank == 0 .or. all_equal(sum, [rank * (rank - 1) / 2, rank]), 'exscan')
    end subroutine

    subroutine in_place()
        integer :: all(n), sum, q, two(2)
        all = -1
        all(rank + 1) = rank
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                           ierror)
        call expect(all_equal(all, [(q, q = 0, n - 1)]), 'allgather in place')
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                          ierror)
        call expect(all_equal(all, [(rank, q = 1, n)]), 'alltoall in place')
        sum = rank
        call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(sum == n * (n - 1) / 2, 'allreduce in place')
        sum = rank
        if (rank == 0) then
            call MPI_Reduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
        else
            call MPI_Reduce(sum, two, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
        end if
        call expect(rank /= 0 .or. sum == n * (n - 1) / 2, 'reduce in place')
        all = -1
        all(n) = 5
        if (rank == n - 1) then
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, n - 1, &
                            MPI_COMM_WORLD, ierror)
            call expect(all_equal(all(1:n - 1), [(q, q = 0, n - 2)]) .and. all(n) == 5, &
                        'gather in place')
            call MPI_Scatter(all, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, n - 1, &
                             MPI_COMM_WORLD, ierror)
        else
            call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, n - 1, MPI_COMM_WORLD, ierror)
            call MPI_Scatter(all, 1, MPI_INTEGER, sum, 1, MPI_INTEGER, n - 1, MPI_COMM_WORLD, ierror)
            call expect(sum == rank, 'scatter with a root in place')
        end if
        all = rank
        call MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
                                      ierror)
        call expect(all(1) == n - 1, 'reduce_scatter_block in place')
        sum = rank
        call MPI_Scan(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(sum == rank * (rank + 1) / 2, 'scan in place')
        sum = rank
        call MPI_Exscan(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call expect(rank == 0 .or. sum == rank * (rank - 1) / 2, 'exscan in place')
    end subroutine

    ! In a row of processes, whose ends have one neighbour.
    subroutine with_neighbours()
#if defined(USE_MPI_F08)
        type(MPI_Comm) :: row
#else
        integer :: row
#endif
        integer :: given(2), got(2), before, behind
        call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.false.], .false., row, ierror)
        before = merge(rank - 1, -1, rank > 0)
        behind = merge(rank + 1, -1, rank < n - 1)
        got = -1
        call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, row, ierror)
        call expect(all_equal(got, [before, behind]), 'neighbor_allgather')
        given = [10 * rank, 10 * rank + 1]
        got = -1
        call MPI_Neighbor_alltoall(given, 1, MPI_INTEGER, got, 1, MPI_INTEGER, row, ierror)
        call expect(all_equal(got, [merge(10 * before + 1, -1, before >= 0), &
                                    merge(10 * behind, -1, behind >= 0)]), 'neighbor_alltoall')
        call MPI_Comm_free(row, ierror)
    end subroutine

    ! Each sends to itself and to the next one. The graph is a distributed one, as the binding of MPICH 4.0 takes no other.
    subroutine with_types_of_neighbours()
#if defined(USE_MPI_F08)
        type(MPI_Comm) :: ring
#else
        integer :: ring
#endif
        integer :: given(2), got(2), one(2), before
        integer(MPI_ADDRESS_KIND) :: there(2), back(2)
        if (n == 1) return
        before = mod(rank + n - 1, n)
        one = 1
        there = [0, 4]
        back = [4, 0]
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [rank, before], one, 2, [rank, mod(rank + 1, n)], &
                                            one, MPI_INFO_NULL, .false., ring, ierror)
        given = [10 * rank, 10 * rank + 1]
        got = -1
        call MPI_Neighbor_alltoallw(given, one, there, [MPI_INTEGER, MPI_INTEGER], got, one, back, &
                                    [MPI_INTEGER, MPI_INTEGER], ring, ierror)
        call expect(all_equal(got, [10 * before + 1, 10 * rank]), 'neighbor_alltoallw')
        call MPI_Comm_free(ring, ierror)
    end subroutine

    ! Nonblocking ones, all under way together. Buffers live until they are waited for.
    subroutine begun()
        integer, asynchronous :: told, one(2), two(2), all(n), to(n), from(n), got(n), sums(2), part, &
            parts, before, up(1), ints(n), row(n), place(n), gotv(n), mine
        integer :: q
#if defined(USE_MPI_F08)
        type(MPI_Request) :: requests(13)
#else
        integer :: requests(13)
#endif
        told = merge(5, 0, rank == 0)
        one = [rank, 1]
        mine = rank
        to = [(100 * rank + q, q = 0, n - 1)]
        row = 1
        place = [(q, q = 0, n - 1)]
        ints = [(q, q = 1, n)]
        before = -1
        requests(13) = MPI_REQUEST_NULL
        call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Ibcast(told, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Iscatter(to, 1, MPI_INTEGER, part, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(3), &
                          ierror)
        call MPI_Igather(mine, 1, MPI_INTEGER, all, 1, MPI_INTEGER, n - 1, MPI_COMM_WORLD, requests(4), &
                         ierror)
        call MPI_Iallgather(mine, 1, MPI_INTEGER, from, 1, MPI_INTEGER, MPI_COMM_WORLD, requests(5), &
                            ierror)
        call MPI_Ialltoall(to, 1, MPI_INTEGER, got, 1, MPI_INTEGER, MPI_COMM_WORLD, requests(6), ierror)
        call MPI_Ialltoallv(to, row, place, MPI_INTEGER, gotv, row, place, MPI_INTEGER, MPI_COMM_WORLD, &
                            requests(7), ierror)
        call MPI_Ireduce(one, two, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, requests(8), ierror)
        call MPI_Iallreduce(one, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(9), ierror)
        call MPI_Iscan(mine, up, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(10), ierror)
        call MPI_Iexscan(mine, before, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(11), ierror)
        call MPI_Ireduce_scatter_block(ints, parts, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
                                       requests(12), ierror)
        call MPI_Waitall(13, requests, MPI_STATUSES_IGNORE, ierror)
        call expect(told == 5, 'ibcast')
        call expect(part == rank, 'iscatter')
        call expect(rank /= n - 1 .or. all_equal(all, place), 'igather')
        call expect(all_equal(from, place), 'iallgather')
        call expect(all_equal(got, [(100 * q + rank, q = 0, n - 1)]), 'ialltoall')
        call expect(all_equal(gotv, [(100 * q + rank, q = 0, n - 1)]), 'ialltoallv')
        call expect(rank /= 0 .or. all_equal(two, [n * (n - 1) / 2, n]), 'ireduce')
        call expect(all_equal(sums, [n * (n - 1) / 2, n]), 'iallreduce')
        call expect(up(1) == rank * (rank + 1) / 2, 'iscan')
        call expect(rank == 0 .or. before == rank * (rank - 1) / 2, 'iexscan')
        call expect(parts == n * (rank + 1), 'ireduce_scatter_block')
    end subroutine

#if defined(USE_MPI_F08)
    subroutine without_ierror()
        integer :: a
        a = merge(4, 0, rank == 0)
        call MPI_Bcast(a, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
        call expect(a == 4 * n, 'calls without ierror')
    end subroutine
#else
    subroutine at_bottom()
        integer :: type, one(1)
        integer(MPI_ADDRESS_KIND) :: at(1)
        integer, volatile :: there(2) ! changes without being named
        there = merge([8, 9], [0, 0], rank == 0)
        one = 2
        call MPI_Get_address(there, at(1), ierror)
        call MPI_Type_create_hindexed(1, one, at, MPI_INTEGER, type, ierror)
        call MPI_Type_commit(type, ierror)
        call MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, ierror)
        call MPI_Type_free(type, ierror)
        call expect(there(1) == 8 .and. there(2) == 9, 'bcast at MPI_BOTTOM')
    end subroutine

    subroutine of_the_user()
        integer :: op, first
        external :: keep_first
        call MPI_Op_create(keep_first, .false., op, ierror)
        call MPI_Allreduce(rank + 10, first, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
        call expect(first == 10, "allreduce with the user's operation")
        call MPI_Op_free(op, ierror)
    end subroutine
#endif

    logical function all_equal(a, b)
        integer, intent(in) :: a(:), b(:)
        all_equal = size(a) == size(b) .and. all(a == b)
    end function
end program
