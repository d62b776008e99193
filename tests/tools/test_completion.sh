#!/usr/bin/env bash
# cpm help CMD, words that are nearly right, man pages of commands, and what shells complete: of the
# same tables as --help, so that nothing is missing in any of them.
. "$(dirname "$0")/lib.sh"
for shell in bash zsh fish; do
    works "$cpm" completion $shell -o cpm.$shell
    ! command -v $shell >/dev/null || $shell -n cpm.$shell || fail "$shell does not read it"
done
awk '/_arguments/ { n = 0 } /^ *.\*:/ && ++n > 1 { exit 1 }' cpm.zsh || fail "zsh takes operands of one kind only"
mkdir man
works "$cpm" manual man

# completes WORD...: sets COMPREPLY for the last word
# shellcheck source=/dev/null
. ./cpm.bash
completes() {
    # shellcheck disable=SC2034 # bash's own names
    COMP_WORDS=(cpm "$@") COMP_CWORD=$#
    _cpm
}

# has FILE PATTERN WHAT
has() { grep -Eq -- "$2" "$1" || fail "$3 is not in $1"; }

commands=$("$cpm" --help | sed -n '/^commands:/,/^$/s/^  \(bench p2p\|bench coll\|tune --[a-z]*\|[a-z]*\) .*/\1/p')
while read -r command; do
    # shellcheck disable=SC2086 # two words
    set -- $command
    "$cpm" "$@" --help >help
    "$cpm" help "$@" | cmp - help || fail "cpm help $command is another one"
    page=man/cpm-$(sed 's/ -*/-/' <<<"$command").1
    sed 's/\\-/-/g; s/\\f[BRI]//g' "$page" >manual || fail "no page of $command"
    completes "$@" -
    for option in $(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' help | grep -oE -- '-[a-zA-Z]\b|--[a-z-]+'); do
        has manual "(^|, )$option(,| |$|\[)" "$command $option"
        [[ " ${COMPREPLY[*]} " == *" $option "* ]] || fail "bash: $command $option: ${COMPREPLY[*]}"
        case $option in
        --*)
            has cpm.zsh "'$option(=-?)?\[" "$option"
            has cpm.fish "__cpm_is $command' -l ${option#--} " "$command $option"
            ;;
        esac
    done
    completes "${1:0:2}"
    [[ " ${COMPREPLY[*]} " == *" $1 "* ]] || fail "bash: $1: ${COMPREPLY[*]}"
    has cpm.fish "-a $1 " "$1"
done <<<"$commands"
[ "$(find man -name 'cpm-*.1' | wc -l)" = "$(wc -l <<<"$commands")" ] || fail "pages: $(ls man)"
! command -v man >/dev/null || for page in man/*; do man --warnings -l "$page" 2>&1 >/dev/null | grep . && fail "$page"; done

# What is offered as a value is one. Nothing is done, as an operand is missing, or there are too many.
mkdir empty
while read -r command; do
    case $command in
    check | compare | 'bench coll' | tune\ *) continue ;; # any number will do
    predict | validate | tune | run | plot | report) operands=() ;;
    *) operands=(surplus surplus surplus) ;;
    esac
    # shellcheck disable=SC2086 # two words
    set -- $command
    completes "$@" -
    for option in "${COMPREPLY[@]}"; do
        COMPREPLY=()
        [[ $option != --* ]] || { cd empty && completes "$@" "$option=" && cd ..; }
        for value in "${COMPREPLY[@]}"; do
            refused 2 "an argument is missing|unexpected argument|needs -o FILE" "$cpm" "$@" "$value" "${operands[@]}"
        done
    done
done <<<"$commands"

# Values that are known.
completes predict lmo4.mod --format ''
[ "${COMPREPLY[*]}" = 'text tsv json' ] || fail "formats: ${COMPREPLY[*]}"
completes model -M lm
[ "${COMPREPLY[*]}" = 'lmo lmo2' ] || fail "models: ${COMPREPLY[*]}"
completes model --estimator jo
[ "${COMPREPLY[*]}" = 'joint' ] || fail "methods of a fit: ${COMPREPLY[*]}"
completes predict --method ''
[ "${COMPREPLY[*]}" = 'walk formula' ] || fail "methods of a prediction: ${COMPREPLY[*]}"
completes predict --timing ''
[ "${COMPREPLY[*]}" = 'isolated batch' ] || fail "predicted calls: ${COMPREPLY[*]}"
completes bench coll --timing ''
[ "${COMPREPLY[*]}" = 'root max global batch' ] || fail "measured calls: ${COMPREPLY[*]}"
completes bench coll --buffers ''
[ "${COMPREPLY[*]}" = 'fresh same cold' ] || fail "states of buffers: ${COMPREPLY[*]}"
completes run --model lmo4
[ "${COMPREPLY[*]}" = 'lmo4.mod' ] || fail "a file, not a model's name: ${COMPREPLY[*]}"
completes predict lmo4
[ "${COMPREPLY[*]}" = 'lmo4.mod' ] || fail "files: ${COMPREPLY[*]}"
: >'blank in.mod'
completes show bla
[ "${#COMPREPLY[@]} ${COMPREPLY[0]}" = '1 blank in.mod' ] || fail "files with blanks: ${COMPREPLY[*]}"
completes predict lmo4.mod bca
[ "${COMPREPLY[*]}" = 'bcast' ] || fail "operations: ${COMPREPLY[*]}"
completes predict lmo4.mod gather:linear,bcast:spl
[ "${COMPREPLY[*]}" = 'gather:linear,bcast:split-binary' ] || fail "algorithms in a list: ${COMPREPLY[*]}"
completes predict lmo4.mod bcast : spl # as bash cuts words
[ "${COMPREPLY[*]}" = 'split-binary' ] || fail "algorithms: ${COMPREPLY[*]}"
completes draw bcast :
[[ " ${COMPREPLY[*]} " == *' linear '*' split-binary '* ]] || fail "algorithms: ${COMPREPLY[*]}"
completes predict lmo4.mod --format = j
[ "${COMPREPLY[*]}" = 'json' ] || fail "formats behind '=': ${COMPREPLY[*]}"
completes run --force bcast:chain,gather : lin
[ "${COMPREPLY[*]}" = 'linear linear-sync linear-sync-in-two' ] || fail "forced: ${COMPREPLY[*]}"
completes run --adapt = b
[ "${COMPREPLY[*]}" = 'budget' ] || fail "policies: ${COMPREPLY[*]}"
completes algorithms bca
[ "${COMPREPLY[*]}" = 'bcast' ] || fail "operations alone: ${COMPREPLY[*]}"

# Behind a launcher, and what was there before for its own words.
COMP_WORDS=(mpiexec -n 4 ./cpm be) COMP_CWORD=4
_cpm_launched mpiexec
[ "${COMPREPLY[*]}" = 'bench' ] || fail "behind mpiexec: ${COMPREPLY[*]}"
_srun() { COMPREPLY=("--of-$1"); }
complete -F _srun srun
# shellcheck source=/dev/null
. ./cpm.bash
COMP_WORDS=(srun --) COMP_CWORD=1
_cpm_launched srun
[ "${COMPREPLY[*]}" = '--of-srun' ] || fail "srun: ${COMPREPLY[*]}"
# A function of bash-completion loads the file, and what it declares must outlive that.
(
    unset _cpm_earlier
    complete -F _srun srun
    loaded() { . ./cpm.bash; }
    loaded
    _completion_loader() { :; }
    COMP_WORDS=(mpiexec.hydra -) COMP_CWORD=1
    _cpm_launched mpiexec.hydra 2>said && [ ! -s said ] && _cpm_launched srun && [ "${COMPREPLY[*]}" = '--of-srun' ]
) || fail "loaded by a function: $(cat said)"
completes bench ''
[ "${COMPREPLY[*]}" = 'p2p coll --help' ] || fail "bench: ${COMPREPLY[*]}"
words=$(sed 's/ .*//' <<<"$commands" | sort -u)
completes help ''
[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(sort <<<"$words"$'\n'help)" ] || fail "bash: help: ${COMPREPLY[*]}"
completes help bench ''
[ "${COMPREPLY[*]}" = 'p2p coll' ] || fail "bash: help bench: ${COMPREPLY[*]}"
completes help predict ''
[ "${#COMPREPLY[@]}" = 0 ] || fail "bash: help predict: ${COMPREPLY[*]}"

# The same by the other shells; _describe and compadd are what zsh calls with what it offers.
cat >offers.zsh <<'END'
compdef() { : }
_describe() { local -a offered; offered=(${(P)2}); print -l -- ${offered%%:*} }
compadd() { [[ $1 != -S ]] || shift 2; print -l -- ${(M)${@:#--}:#$PREFIX*} }
compset() { PREFIX=${PREFIX##$~2} }
_default() { print of the launcher }
_arguments() { # of an operand, or behind an option
    local spec=${(M)@:#${words[CURRENT-1]}=*}
    [[ -n $spec ]] || spec=${(M)@:#\**}
    case $spec in
    *_cpm_collectives*) _cpm_collectives ;;
    *:\(*\)) compadd ${=${spec##*:\(}%\)} ;;
    *:_files) print a file ;;
    esac
}
. ./cpm.zsh
words=("${@:1}") CURRENT=$# PREFIX=${@[-1]}
_cpm
END
offers() { # SHELL WORD...: what is offered for the last word
    local shell=$1
    shift
    behind $shell cpm "$@"
}
behind() {
    local shell=$1
    shift
    if [ "$shell" = zsh ]; then zsh -f offers.zsh "$@"; else fish --no-config -c "source cpm.fish; complete -C '$*'" | cut -f 1; fi
}
for shell in zsh fish; do
    command -v $shell >/dev/null || continue
    [ "$(offers $shell '' | sort)" = "$(sort <<<"$words"$'\n'help)" ] || fail "$shell: $(offers $shell '')"
    [ "$(offers $shell help '' | sort)" = "$(sort <<<"$words"$'\n'help)" ] || fail "$shell: help: $(offers $shell help '')"
    [ "$(offers $shell help bench '' | sort | xargs)" = 'coll p2p' ] || fail "$shell: help bench: $(offers $shell help bench '')"
    [ "$(offers $shell bench '' | sort | xargs)" = 'coll p2p' ] || fail "$shell: bench: $(offers $shell bench '')"
    [ "$(offers $shell predict --format '' | sort | xargs)" = 'json text tsv' ] || fail "$shell: formats: $(offers $shell predict --format '')"
    [ "$(offers $shell model --model ho)" = hockney ] || fail "$shell: models: $(offers $shell model --model ho)"
    [ "$(offers $shell run --model lmo4 | grep -v '^a file\|^lmo4.mod')" = '' ] || fail "$shell: a model's name: $(offers $shell run --model lmo4)"
    [ "$(offers $shell predict lmo4.mod bca)" = bcast ] || fail "$shell: operations: $(offers $shell predict lmo4.mod bca)"
    offers $shell predict lmo4.mod gather:linear,bcast:spl | grep -q 'split-binary$' || fail "$shell: algorithms: $(offers $shell predict lmo4.mod gather:linear,bcast:spl)"
    behind $shell mpiexec -n 4 cpm be | grep -qx bench || fail "$shell: behind mpiexec: $(behind $shell mpiexec -n 4 cpm be)"
    behind $shell srun -n 4 ./cpm predict --format '' | grep -qx tsv || fail "$shell: behind srun: $(behind $shell srun -n 4 ./cpm predict --format '')"
    [ -z "$(offers $shell help predict '')" ] || fail "$shell: help predict: $(offers $shell help predict '')"
done

completes tune --mea
[ "${COMPREPLY[*]}" = '--measure' ] || fail "variants: ${COMPREPLY[*]}"

works "$cpm" help bench
grep -q '^usage: .*cpm bench p2p' stdout && grep -q '^usage: .*cpm bench coll' stdout || fail "help bench lacks a command"
diff stdout <("$cpm" bench --help) || fail "help bench"
works "$cpm" help help
diff stdout <("$cpm" --help) || fail "help help"
diff stdout <("$cpm" help) || fail "help"
refused 2 "^cpm: modle: unknown command; did you mean 'model'\? .'cpm help' lists all.$" "$cpm" modle
refused 2 "^cpm: xyzzy: unknown command .'cpm help' lists the commands.$" "$cpm" xyzzy
refused 2 "^cpm: what to do\? .'cpm help' lists the commands.$" "$cpm"
refused 2 '^cpm: bench: which one\? known are bench p2p, bench coll$' "$cpm" bench
refused 2 "^cpm: predcit: unknown command; did you mean 'predict'\? .'cpm help'" "$cpm" help predcit
refused 2 "^cpm: bench cols: unknown command; did you mean 'bench coll'\? known are bench p2p, bench coll$" "$cpm" bench cols
refused 2 "^cpm: benc: unknown command; did you mean 'bench coll'\? .'cpm help'" "$cpm" benc coll bcast
refused 2 "^cpm: benhc: unknown command; did you mean 'bench'\? .'cpm help'" "$cpm" benhc
refused 2 '^cpm: bench xyzzy: unknown command; known are bench p2p, bench coll$' "$cpm" bench xyzzy
refused 2 "^cpm: benc: unknown command; did you mean 'bench p2p'\? .'cpm help'" "$cpm" help benc p2p
refused 2 "unknown option '--sise' \(see cpm predict --help\); did you mean '--sizes'\?$" "$cpm" predict lmo4.mod --sise 1K
refused 2 "unknown option '--frmat=tsv' .*; did you mean '--format'\?$" "$cpm" predict lmo4.mod --frmat=tsv
refused 2 "unknown option '--sweden' \(see cpm predict --help\)$" "$cpm" predict lmo4.mod --sweden
refused 2 "unknown algorithm 'binomal' of bcast .*; did you mean 'binomial'\?$" "$cpm" predict lmo4.mod bcast:binomal
refused 2 "unknown operation 'gahter' .*; did you mean 'gather'\?$" "$cpm" predict lmo4.mod gahter
refused 2 "unknown model 'hocknye' .*; did you mean 'hockney'\?$" "$cpm" model -M hocknye --machine lmo4.mod -o x.mod
refused 2 "unknown parameter 'invbta' .*; did you mean 'invbeta'\?$" "$cpm" show lmo4.mod --param invbta
refused 2 "unknown shell 'csh' \(known: bash, zsh, fish\)" "$cpm" completion csh
finish
