package io.hypersync.worker.fuse.protocol;

import java.util.List;

/** A body of each kind of request, as the kernel sends it, and its decoded form. */
final class RequestFixtures {
  /**
   * A row.
   *
   * @param minimum a body of fewer bytes is malformed
   */
  record Fixture(int opcode, String expected, int minimum, String hex) {
    byte[] body() {
      return AnnotatedHex.bytes(hex);
    }

    @Override
    public String toString() {
      return opcode + " " + expected;
    }
  }

  private RequestFixtures() {}

  private static final String FH = "0300000000000000 # fh\n";
  private static final String OWNER = "aa00000000000000 # lock_owner\n";

  static final List<Fixture> ALL =
      List.of(
          whole(1, "Lookup[name=src]", "73726300 # name"),
          whole(2, "Forget[lookups=5]", "0500000000000000 # nlookup"),
          whole(
              3,
              "GetAttr[flags=1, fh=3]",
              """
              01000000 # getattr_flags: FH
              00000000 # dummy
              0300000000000000 # fh
              """),
          whole(
              4,
              "SetAttr[valid=57, fhBits=3, sizeBits=4096, lockOwner=170,"
                  + " atimeNs=1700000000000000001, mtimeNs=-1000000000, ctimeNs=0,"
                  + " modeBits=33188, uidBits=1000, gidBits=100]",
              """
              39000000 # valid: MODE SIZE ATIME MTIME
              00000000 # padding
              0300000000000000 # fh
              0010000000000000 # size
              aa00000000000000 # lock_owner
              00f1536500000000 # atime
              ffffffffffffffff # mtime: one second before 1970
              0000000000000000 # ctime
              01000000 # atimensec
              00000000 # mtimensec
              00000000 # ctimensec
              a4810000 # mode: 0100644
              00000000 # unused4
              e8030000 # uid
              64000000 # gid
              00000000 # unused5
              """),
          whole(5, "ReadLink[]", ""),
          whole(
              6,
              "Symlink[name=l, target=../t]",
              """
              6c00 # name
              2e2e2f7400 # target
              """),
          whole(
              8,
              "MkNod[name=f, mode=33188, rdev=259, umask=18]",
              """
              a4810000 # mode
              03010000 # rdev
              12000000 # umask
              00000000 # padding
              6600 # name
              """),
          whole(
              9,
              "MkDir[name=d, mode=493, umask=18]",
              """
              ed010000 # mode
              12000000 # umask
              6400 # name
              """),
          whole(10, "Unlink[name=f]", "6600 # name"),
          whole(11, "RmDir[name=d]", "6400 # name"),
          whole(
              12,
              "Rename[name=a, newParent=9, newName=bc, flags=0]",
              """
              0900000000000000 # newdir
              6100 # old name
              626300 # new name
              """),
          whole(
              45,
              "Rename[name=a, newParent=9, newName=bc, flags=2]",
              """
              0900000000000000 # newdir
              02000000 # flags: EXCHANGE
              00000000 # padding
              6100 # old name
              626300 # new name
              """),
          whole(
              13,
              "Link[target=12, newName=n]",
              """
              0c00000000000000 # oldnodeid
              6e00 # new name
              """),
          whole(
              14,
              "Open[flags=32770, openFlags=1]",
              """
              02800000 # flags: O_RDWR O_LARGEFILE
              01000000 # open_flags: KILL_SUIDGID
              """),
          whole(
              15,
              "Read[fh=3, offset=4096, size=131072, readFlags=2, lockOwner=170, openFlags=32768]",
              FH
                  + """
                  0010000000000000 # offset
                  00000200 # size
                  02000000 # read_flags: LOCKOWNER
                  """
                  + OWNER
                  + """
                  00800000 # flags
                  00000000 # padding
                  """),
          whole(
              16,
              "Write[fh=3, offset=10, data=hello, writeFlags=4, lockOwner=170, openFlags=1025]",
              FH
                  + """
                  0a00000000000000 # offset
                  05000000 # size
                  04000000 # write_flags: KILL_SUIDGID
                  """
                  + OWNER
                  + """
                  01040000 # flags: O_WRONLY O_APPEND
                  00000000 # padding
                  68656c6c6f # data
                  """),
          whole(17, "StatFs[]", ""),
          whole(
              18,
              "Release[fh=3, openFlags=2, releaseFlags=2, lockOwner=170]",
              FH
                  + """
                  02000000 # flags
                  02000000 # release_flags: FLOCK_UNLOCK
                  """
                  + OWNER),
          whole(20, "Fsync[fh=3, flags=1]", FH + "01000000 # FDATASYNC\n00000000 # padding"),
          whole(
              21,
              "SetXattr[name=user.a, value=v\0w, flags=1, extendedFlags=0]",
              """
              03000000 # size
              01000000 # flags: XATTR_CREATE
              757365722e6100 # name
              760077 # value, with a NUL inside
              """),
          whole(
              22,
              "GetXattr[name=user.a, size=64]",
              """
              40000000 # size
              00000000 # padding
              757365722e6100 # name
              """),
          whole(23, "ListXattr[size=0]", "00000000 # size\n00000000 # padding"),
          whole(24, "RemoveXattr[name=user.a]", "757365722e6100 # name"),
          whole(
              25,
              "Flush[fh=3, lockOwner=170]",
              FH
                  + """
                  00000000 # unused
                  00000000 # padding
                  """
                  + OWNER),
          whole(27, "OpenDir[flags=65536, openFlags=0]", "00000100 # O_DIRECTORY\n00000000"),
          readDir(28, "ReadDir[fh=3, offset=8, size=4096]"),
          whole(
              29,
              "ReleaseDir[fh=3, openFlags=65536, releaseFlags=0, lockOwner=170]",
              FH
                  + """
                  00000100 # flags
                  00000000 # release_flags
                  """
                  + OWNER),
          whole(30, "FsyncDir[fh=3, flags=0]", FH + "00000000 # flags\n00000000 # padding"),
          lock(31, "GetLk[fh=3, owner=170, lock=%s, lockFlags=1]"),
          lock(32, "SetLk[fh=3, owner=170, lock=%s, lockFlags=1, waiting=false]"),
          lock(33, "SetLk[fh=3, owner=170, lock=%s, lockFlags=1, waiting=true]"),
          whole(34, "Access[mask=4]", "04000000 # R_OK\n00000000 # padding"),
          whole(
              35,
              "Create[name=new, flags=194, mode=33188, umask=18, openFlags=0]",
              """
              c2000000 # flags: O_RDWR O_CREAT O_EXCL
              a4810000 # mode
              12000000 # umask
              00000000 # open_flags
              6e657700 # name
              """),
          whole(37, "Bmap[block=5, blockSize=512]", "0500000000000000\n00020000\n00000000"),
          whole(
              39,
              "Ioctl[fh=3, flags=16, command=21505, argument=99, input=in, outSize=8]",
              FH
                  + """
                  10000000 # flags: DIR
                  01540000 # cmd
                  6300000000000000 # arg
                  02000000 # in_size
                  08000000 # out_size
                  696e # input
                  """),
          whole(
              40,
              "Poll[fh=3, pollHandle=17, flags=1, events=5]",
              FH
                  + """
                  1100000000000000 # kh
                  01000000 # flags: SCHEDULE_NOTIFY
                  05000000 # events
                  """),
          whole(
              42,
              "BatchForget[rows=[Row[nodeId=5, lookups=1], Row[nodeId=6, lookups=2]]]",
              """
              02000000 # count
              00000000 # dummy
              0500000000000000 0100000000000000 # node 5, once
              0600000000000000 0200000000000000 # node 6, twice
              """),
          whole(
              43,
              "Fallocate[fh=3, offset=4096, length=8192, mode=3]",
              FH
                  + """
                  0010000000000000 # offset
                  0020000000000000 # length
                  03000000 # mode: KEEP_SIZE PUNCH_HOLE
                  00000000 # padding
                  """),
          readDir(44, "ReadDirPlus[fh=3, offset=8, size=4096]"),
          whole(
              46,
              "Lseek[fh=3, offset=4096, whence=4]",
              FH
                  + """
                  0010000000000000 # offset
                  04000000 # whence: SEEK_HOLE
                  00000000 # padding
                  """),
          copy(47),
          copy(53),
          whole(50, "SyncFs[]", "0000000000000000 # padding", 0),
          whole(
              51,
              "Tmpfile[flags=4259842, mode=33152, umask=18, openFlags=0]",
              """
              02004100 # flags: O_RDWR O_TMPFILE
              80810000 # mode: 0100600
              12000000 # umask
              00000000 # open_flags
              2300 # name: "#", of no use
              """,
              16),
          whole(
              52,
              "Statx[getAttrFlags=1, fh=3, statxFlags=256, mask=2047]",
              """
              01000000 # getattr_flags: FH
              00000000 # reserved
              0300000000000000 # fh
              00010000 # sx_flags
              ff070000 # sx_mask
              """));

  private static Fixture whole(int opcode, String expected, String hex) {
    return whole(opcode, expected, hex, AnnotatedHex.bytes(hex).length);
  }

  private static Fixture whole(int opcode, String expected, String hex, int minimum) {
    return new Fixture(opcode, expected, minimum, hex);
  }

  private static Fixture readDir(int opcode, String expected) {
    return whole(
        opcode,
        expected,
        FH
            + """
            0800000000000000 # offset
            00100000 # size
            00000000 # read_flags
            """
            + OWNER
            + """
            00000000 # flags
            00000000 # padding
            """);
  }

  private static Fixture lock(int opcode, String expected) {
    return whole(
        opcode,
        expected.formatted("FuseLock[start=10, end=9223372036854775807, type=1, pid=4321]"),
        FH
            + """
            aa00000000000000 # owner
            0a00000000000000 # start
            ffffffffffffff7f # end: of the file
            01000000 # type: F_WRLCK
            e1100000 # pid
            01000000 # lk_flags: FLOCK
            00000000 # padding
            """);
  }

  private static Fixture copy(int opcode) {
    return whole(
        opcode,
        "CopyFileRange[fh=3, offset=1, targetNode=8, targetFh=4, targetOffset=2, length=3,"
            + " flags=0]",
        FH
            + """
            0100000000000000 # off_in
            0800000000000000 # nodeid_out
            0400000000000000 # fh_out
            0200000000000000 # off_out
            0300000000000000 # len
            0000000000000000 # flags
            """);
  }
}
