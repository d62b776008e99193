. "$(dirname "$0")/lib.sh"
