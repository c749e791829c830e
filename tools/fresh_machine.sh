#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a machine of a release of Debian or Ubuntu from packages alone, and runs README's two commands in it.
#
#     tools/fresh_machine.sh RELEASE [FOLDER [COMMAND...]]
#
# The machine is a folder with a system of its own, a chroot, and has the packages that README names, no
# others. The last commit of this checkout is cloned into it. FOLDER keeps the machine for a later call,
# which clones anew; without FOLDER, or with "", it is removed at the end. Each COMMAND is a line of shell
# that runs in the clone in place of README's commands.
#
# Packages come from the sources in /etc/apt; a server that has Debian's under one path and Ubuntu's under
# another serves both. SOURCE=URL names another source. The keys of a release are in /usr/share/keyrings,
# where Debian's package ubuntu-keyring puts Ubuntu's; KEYRINGS=FOLDER names another folder for them.
#
# All mounts are in a namespace of this script, which ends with it, however it ends.
# Exit code: 1, a step failed; 2, the call is wrong; 3, no such machine can be made here.
set -eu

say() { printf '%s\n' "$*"; }
refuse() { # exit code, sentence
    printf 'fresh_machine: %s\n' "$2" >&2
    exit "$1"
}
# Runs a command whose processes and mounts end with it.
alone() { unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$@"; }

# Second part, in a namespace: gives the machine its file systems, and runs a command in it.
if [ "${1:-}" = --inside ]; then
    machine=$2
    shift 2
    mount -t proc proc "$machine/proc"
    mount -t sysfs -o ro sysfs "$machine/sys"
    mount --bind /dev "$machine/dev"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$machine/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"
    # A devpts of its own needs its own /dev/ptmx, which on some kernels is a link and on others a node.
    [ -h /dev/ptmx ] || mount --bind "$machine/dev/pts/ptmx" "$machine/dev/ptmx"
    # Settings of pip and of proxies hold in the machine too; all else it has of its own.
    for name in $(env | sed -n 's/^\(PIP_[A-Z_]*\|[A-Za-z]*_proxy\|[A-Z]*_PROXY\|SSL_CERT_FILE\)=.*/\1/p'); do
        eval "set -- \"$name=\$$name\" \"\$@\""
    done
    exec chroot "$machine" env -i HOME=/srv LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
fi

[ $# -ge 1 ] || refuse 2 "no release is named, as in: tools/fresh_machine.sh trixie"
release=$1
folder=${2:-}
if [ $# -gt 2 ]; then shift 2; else shift $#; fi
case $release in
    "" | *[!a-z]*) refuse 2 "'$release' is not the name of a release, such as trixie, testing or noble" ;;
esac
script=$(realpath "$0")
checkout=$(dirname "$(dirname "$script")")
packages=$(sed -n 's/^apt-get install //p' "$checkout/README.md")
[ -n "$packages" ] || refuse 2 "README.md has no line 'apt-get install ...'"
if [ $# = 0 ]; then
    for verb in bench test; do
        grep -q "^make $verb " "$checkout/README.md" || refuse 2 "README.md has no line 'make $verb'"
    done
    set -- "make bench" "make test"
fi
[ "$(id -u)" = 0 ] || refuse 3 "a machine is made by root"
for tool in debootstrap unshare chroot git apt-config; do
    command -v "$tool" >/dev/null || refuse 3 "$tool is not found; on Debian or Ubuntu: apt-get install debootstrap git"
done

temporary=$(mktemp -d)
made=""
remove() {
    rm -rf "$temporary"
    # No mount of the machine is seen here, so that nothing but the machine's own files can go.
    if [ -n "$made" ]; then rm -rf --one-file-system "$made"; fi
}
trap remove EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The source that has the release, printed as "URL ORIGIN".
find_source() {
    {
        cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs: *//p' | tr ' ' '\n'
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
            sed -n 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\) .*/\2/p'
    } | sed 's:/*$::' | awk '!seen[$0]++' >"$temporary/listed"
    for url in ${SOURCE:-$(cat "$temporary/listed"; sed 's:/[^/]*$:/debian:; p; s:/[^/]*$:/ubuntu:' "$temporary/listed")}; do
        /usr/lib/apt/apt-helper -qq download-file "$url/dists/$release/Release" "$temporary/Release" \
            >/dev/null 2>&1 || continue
        origin=$(sed -n 's/^Origin: //p' "$temporary/Release" | head -n 1)
        case $origin in
            Debian | Ubuntu) say "$url $origin"; return ;;
        esac
    done
}

make_machine() {
    found=$(find_source)
    [ -n "$found" ] || refuse 3 "no source of apt here has the release $release; SOURCE=URL names another"
    url=${found% *}
    case ${found#* } in
        Ubuntu) keyring=ubuntu-archive-keyring.gpg like=gutsy components=main,universe ;;
        *) keyring=debian-archive-keyring.gpg like=sid components=main ;;
    esac
    for keys in ${KEYRINGS:-} /usr/share/keyrings; do
        [ ! -r "$keys/$keyring" ] || break
    done
    [ -r "$keys/$keyring" ] || refuse 3 "no folder of keys has $keyring, with which $release is checked"
    # debootstrap knows the releases of its own day; a later one is made as the latest that it knows.
    if [ -e "/usr/share/debootstrap/scripts/$release" ]; then like=$release; fi
    mkdir -p "$machine"
    alone debootstrap --variant=minbase --keyring="$keys/$keyring" --components="$components" \
        "$release" "$machine" "$url" "$like" >"$temporary/log" 2>&1 || {
        tail -n 5 "$temporary/log"
        refuse 3 "debootstrap did not make $release"
    }
}

# The machine reaches apt's sources, pip's index and the network as this one does.
take_settings() {
    apt-config dump | grep -E '^Acquire::(Check-|https?::Proxy)' >"$machine/etc/apt/apt.conf.d/90fresh-machine" || true
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
        if [ -e "$file" ]; then
            mkdir -p "$machine$(dirname "$file")"
            cp -L --remove-destination "$file" "$machine$file"
        fi
    done
    for file in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-${HOME:-/root}/.config}/pip/pip.conf"; do
        if [ -f "$file" ]; then
            mkdir -p "$machine$(dirname "$file")" "$machine/srv/.config/pip"
            cp -L "$file" "$machine/srv/.config/pip/pip.conf"
            cp -L "$file" "$machine$file"
        fi
    done
}

inside() { alone sh "$script" --inside "$machine" "$@"; }

# Runs a step and shows its output; its exit code is then in $code and its seconds in $seconds.
step() { # title, command...
    title=$1
    shift
    say "== $release: $title"
    began=$(date +%s)
    { "$@" && echo 0 >"$temporary/code" || echo $? >"$temporary/code"; } 2>&1 | tee "$temporary/log"
    code=$(cat "$temporary/code")
    seconds=$(($(date +%s) - began))
}
# A step of the making: without it there is no such machine, which is no fault of the checkout.
must() {
    step "$@"
    if [ "$code" != 0 ]; then refuse 3 "$release: the step '$1' failed with exit code $code after $seconds s"; fi
}

if [ -n "$folder" ]; then
    mkdir -p "$folder"
    machine=$(realpath "$folder")
else
    made=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-machine.XXXXXX")
    machine=$made
fi
# The mark is made last: a machine that was left half made is made again.
if [ ! -e "$machine/etc/fresh-machine" ]; then
    if [ -n "$(ls -A "$machine")" ] && [ ! -d "$machine/debootstrap" ]; then
        refuse 2 "$machine holds something else than a machine"
    fi
    say "== $release: make a machine in $machine"
    make_machine
    echo "$release" >"$machine/etc/fresh-machine"
elif [ "$(cat "$machine/etc/fresh-machine")" != "$release" ]; then
    refuse 2 "$machine is a machine of $(cat "$machine/etc/fresh-machine"), not of $release"
fi
take_settings
# The words of README are not quoted: each is a package.
# shellcheck disable=SC2086
must "apt-get install $packages" inside sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive exec \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null' sh $packages
# The package ca-certificates has just written its own list over the one of this machine.
take_settings
rm -rf "$machine/srv/joulemark"
must "git clone" git clone --quiet "$checkout" "$machine/srv/joulemark"

facts=$(inside sh -c '. /etc/os-release; echo "$PRETTY_NAME; \
$(sed -n "s/^model name[^:]*: //p" /proc/cpuinfo | head -n 1); $(cc --version | head -n 1); $(python3 --version)"')
say "$release: $facts; commit $(git -C "$checkout" rev-parse --short HEAD)" | tee "$temporary/summary"
status=0
for command in "$@"; do
    step "$command" inside sh -c "cd /srv/joulemark && $command"
    if [ "$code" = 0 ]; then
        say "$release: $command: done in $seconds s"
    else
        status=1
        say "$release: $command: FAILED with exit code $code after $seconds s"
    fi >>"$temporary/summary"
    tail -n 6 "$temporary/log" | sed 's/^/    /' >>"$temporary/summary"
done
say "== $release: summary"
cat "$temporary/summary"
exit $status
