#!/usr/bin/env bash
# What the subcommands print about small models.
. "$(dirname "$0")/lib.sh"

golden help --help
golden help_predict predict --help
golden help_bench bench --help
golden help_model model --help
golden show_lmo show lmo4.mod
golden show_hockney show hockney3.mod
golden show_param_C show lmo4.mod --param C
golden show_param_L show lmo4.mod --param L
golden show_param_S show lmo4.mod --param S
golden predict_one predict lmo4.mod scatter:binomial -m 0,1K,64K
golden predict_native predict lmo4.mod scatterv:native,gatherv:native,allgatherv:native,alltoallv:native,reduce_scatter:native \
    --library mpich -m 1K,1M
golden predict_native_downwards predict lmo4.mod bcast:native --library mpich -m 1M,256K,1K
golden predict_native_unknown predict lmo4.mod reduce_scatter:native --library openmpi -m 0
golden predict_native_whose predict lmo4.mod bcast:native
golden predict_side_by_side predict lmo4.mod gather:linear,gather:star,gather:binomial,gather:chain -m 1K:8K --root 2
golden predict_crossovers predict lmo4.mod bcast:linear,bcast:linear:segment=4K,bcast:split-binary gather:linear,gather:star,gather:split -m 1:64K --crossovers
golden predict_formula predict lmo4.mod gather:linear -m 1K --method formula:large
golden predict_tsv predict hockney3.mod bcast:linear,bcast:binomial,bcast:chain -m 1K,2K --format tsv
golden predict_json predict hockney3.mod bcast:linear -m 1K,2K --format json
golden bench_p2p bench p2p --machine hockney3.mod -m 1K,2K --noise 0.05 --quiet
golden bench_coll bench coll --machine lmo4.mod scatter:linear,bcast:linear,bcast:binomial,bcast:chain,bcast:native -m 1K,64K --quiet
golden validate validate --machine lmo4.mod lmo4.mod scatter:linear gather:linear,gather:binomial,gather:chain -m 1K,4K --quiet
golden validate_noise validate --machine lmo4.mod lmo4.mod bcast:linear,bcast:binomial,bcast:chain -m 1K:8K --noise 0.1 --seed 7 --quiet
golden validate_tsv validate --machine lmo4.mod lmo4.mod bcast:chain -m 1K --format tsv --quiet
finish
