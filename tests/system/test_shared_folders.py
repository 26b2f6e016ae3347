"""Writing where other users may write too: their links, their files, and who may read ours."""

import os
import stat
import sys
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import bandsvm
from bandsvm import BandedSVC
from bandsvm._system.files import atomic_write, follow_links

if sys.platform == "win32":
    pytest.skip("owners and permissions are those of POSIX", allow_module_level=True)

X, Y = load_iris(return_X_y=True)
STRANGER, ANOTHER = 12345, 12346
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def shared(tmp_path):
    """A folder that everybody may write to, like that for temporary files."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"precious")
    return path


def give_away(path, owner=STRANGER):
    os.chown(path, owner, owner, follow_symlinks=False)


@needs_root
@pytest.mark.parametrize("leads_to", ["file", "nothing", "folder", "own link"])
def test_links_of_strangers_in_a_shared_folder_are_refused(leads_to, shared, secret):
    link = path = shared / "model.bsvm"
    if leads_to == "folder":
        path = link / "secret"
        link.symlink_to(secret.parent)
    elif leads_to == "own link":
        link.symlink_to(shared / "other")
        (shared / "other").symlink_to(secret)
    else:
        link.symlink_to(secret if leads_to == "file" else secret.parent / "new")
    give_away(link)
    with pytest.raises(PermissionError, match=r"another user.*choose another folder") as caught:
        bandsvm.save(BandedSVC().fit(X, Y), path)
    assert caught.value.filename == str(path)
    assert secret.read_bytes() == b"precious"
    assert sorted(p.name for p in secret.parent.iterdir()) == ["secret", "shared"]


@needs_root
@pytest.mark.parametrize("owner", ["us", "the folder's owner"])
@pytest.mark.parametrize("mode", [0o1777, 0o755])
def test_other_links_are_followed(mode, owner, shared, secret):
    (shared / "link").symlink_to(secret)
    if owner == "the folder's owner":
        give_away(shared / "link")
        give_away(shared)
    shared.chmod(mode)
    atomic_write(shared / "link", b"new")
    assert secret.read_bytes() == b"new"
    assert (shared / "link").is_symlink()


@needs_root
def test_links_of_strangers_elsewhere_are_followed(shared, secret):
    shared.chmod(0o755)
    (shared / "link").symlink_to(secret)
    give_away(shared / "link")
    atomic_write(shared / "link", b"new")
    assert secret.read_bytes() == b"new"


@needs_root
def test_pipes_of_strangers_in_a_shared_folder_are_refused(shared):
    os.mkfifo(shared / "pipe", 0o666)
    give_away(shared / "pipe")
    with pytest.raises(PermissionError, match="another user"):
        atomic_write(shared / "pipe", b"secret")


def test_where_links_lead(folder):
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "link").symlink_to("a/b")
    (folder / "a" / "up").symlink_to("../link/../file")
    (folder / "round").symlink_to("round")
    for path in ("link", "link/../x", "a/up", "a/./b/../new/deep", "none/./x", "/", "."):
        expected = os.path.realpath(path)
        assert str(follow_links(Path(path))) == expected
    with pytest.raises(OSError, match="Too many levels"):
        follow_links(folder / "round")


@pytest.mark.parametrize("old_mode", [0o600, 0o640, 0o444, None])
def test_nobody_reads_an_unfinished_file_who_may_not_read_the_finished_one(
    old_mode, tmp_path, monkeypatch
):
    path, seen = tmp_path / "model.bsvm", []
    if old_mode is not None:
        path.write_bytes(b"old")
        path.chmod(old_mode)
    opened = os.open

    def recorded(name, flags, mode=0o777, **settings):
        handle = opened(name, flags, mode, **settings)
        if flags & os.O_CREAT:
            assert flags & os.O_EXCL
            assert flags & os.O_NOFOLLOW
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return handle

    monkeypatch.setattr(os, "open", recorded)
    atomic_write(path, b"new")
    final = stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    assert final == (0o666 & ~mask if old_mode is None else old_mode)
    assert seen == [final if old_mode is None else 0o600]
    assert path.read_bytes() == b"new"


@needs_root
def test_the_successor_of_a_strangers_file_is_ours_alone_to_write(shared):
    path = shared / "model.bsvm"
    path.write_bytes(b"planted")
    path.chmod(0o666)
    give_away(path)
    atomic_write(path, b"new")
    assert path.stat().st_uid == os.geteuid()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
