# shellcheck shell=bash
# install.sh: sourced by run and test: install_packages LIST… installs what is missing of the lists, and only that.
# Asking dpkg takes some milliseconds; apt is not touched when nothing is missing.

# The packages of the lists that are neither installed nor stood for by a command.
missing_packages() {
    local package command installed
    installed=" $(dpkg-query --show --showformat '${db:Status-Status}:${Package} ' 2>/dev/null) "
    while read -r package command; do
        if [[ -z $package || $package == \#* ]]; then continue; fi
        if [[ $installed == *" installed:$package "* ]]; then continue; fi
        if [[ -n $command ]] && command -v "$command" >/dev/null; then continue; fi
        echo "$package"
    done < <(cat "$@")
}

install_packages() {
    local missing as_root=()
    if ! command -v dpkg-query >/dev/null; then
        echo "this is not Debian: make sure that the packages of $* are there" >&2
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [[ ${#missing[@]} == 0 ]]; then return 0; fi
    echo "installing ${missing[*]}" >&2
    if [[ $EUID != 0 ]]; then
        if ! command -v sudo >/dev/null; then
            echo "neither root nor sudo: run as root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
    # The lists of packages may be absent or old: they are fetched when the first try fails.
    "${as_root[@]}" install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && return 0
    quietly "${as_root[@]}" update && quietly "${as_root[@]}" install --no-install-recommends "${missing[@]}"
}

# What a command printed is shown only if it fails.
quietly() {
    local printed
    printed=$("$@" 2>&1) && return 0
    echo "$printed" >&2
    return 1
}
