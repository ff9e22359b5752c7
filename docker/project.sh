#!/bin/sh
# The steps that follow a change of the code: seconds, not hours.
# usage: project.sh install 'LOCK ...' (as root) | pull (as the user)
set -eu

ENVIRONMENT=${ENVIRONMENT:-/opt/selu}

case $1 in
  install)
    "$ENVIRONMENT/bin/python" -m pip install --quiet --no-deps --no-build-isolation --root-user-action ignore --editable .
    # make looks for a stamp of each lock that is installed
    for lock in $2; do touch "$ENVIRONMENT/$lock.stamp"; done
    ;;
  pull) # DVC wants a git repository; the clone's own .git stays out, since it may hold a remote's password
    git init --quiet
    git add --all
    git -c user.name=selu -c user.email=selu@localhost commit --quiet --message 'The clone that this image was built from'
    dvc config --local cache.dir ../store # which has all of it: a cache beside it would be a second copy of 62 MB
    dvc pull --quiet
    ;;
esac
