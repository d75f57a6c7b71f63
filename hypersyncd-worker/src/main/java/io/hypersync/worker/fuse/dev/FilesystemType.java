package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The type of a filesystem, and whether a state directory can be on it (hypersync.md 0.1.1).
 *
 * @param name such as {@code ext4}; the type's number in hexadecimal if it is not known here
 * @param verdict whether state can be kept on it
 * @param why a clause for messages, without capital letter and full stop; empty for {@link
 *     Verdict#GOOD}
 */
public record FilesystemType(String name, Verdict verdict, String why) {
  /** Whether a daemon's state can be kept on a filesystem. */
  public enum Verdict {
    /** A filesystem of a local disk. */
    GOOD,
    /** It works as far as is known, but may not last, or not be as durable as it claims. */
    DOUBTFUL,
    /** It cannot work. */
    USELESS
  }

  private static final String MEMORY =
      "it is in memory, and what was acknowledged is gone with the machine";
  private static final String NETWORK =
      "a filesystem over the network may be slow, and say that something is durable when it is not";
  private static final String OVERLAY =
      "what is in a container goes with it; mount a volume to keep it";
  private static final String NOT_FOR_FILES = "it is the kernel's own, and keeps no files";
  private static final String FAT = "it knows no permissions, no links and no case of names";
  private static final String OWN =
      "this is a HyperSync mount: a workspace cannot be kept in a workspace";
  private static final String READ_ONLY = "it can only be read";

  private static final long FUSE = 0x65735546L;

  /** The type of the filesystem that a path is on, or will be on once it is created. */
  public static FilesystemType of(Path path) {
    Path there = path.toAbsolutePath().normalize();
    Path above = there.getParent();
    while (above != null && Files.notExists(there)) {
      there = above;
      above = there.getParent();
    }
    long magic = Syscalls.filesystemMagic(there.toString());
    if (magic < 0) {
      return new FilesystemType("?", Verdict.DOUBTFUL, "its type cannot be found out");
    }
    return magic == FUSE ? fuse(mount(there)) : of(magic);
  }

  /** The type for an {@code f_type} of statfs(2). */
  static FilesystemType of(long magic) {
    return switch ((int) magic) {
      case 0xEF53 -> good("ext4");
      case 0x58465342 -> good("xfs");
      case 0x9123683E -> good("btrfs");
      case 0xF2F52010 -> good("f2fs");
      case 0x2FC12FC1 -> good("zfs");
      case 0xCA451A4E -> good("bcachefs");
      case 0x01021994 -> doubtful("tmpfs", MEMORY);
      case 0x858458F6 -> doubtful("ramfs", MEMORY);
      case 0x794C7630 -> doubtful("overlayfs", OVERLAY);
      case 0x6969 -> doubtful("nfs", NETWORK);
      case 0x517B, 0xFE534D42, 0xFF534D42 -> doubtful("smb", NETWORK);
      case 0x00C36400 -> doubtful("ceph", NETWORK);
      case 0x01021997 -> doubtful("9p", NETWORK);
      case 0x5346414F, 0x6B414653 -> doubtful("afs", NETWORK);
      case 0x0BD00BD0 -> doubtful("lustre", NETWORK);
      case 0x01161970 -> doubtful("gfs2", NETWORK);
      case 0x7461636F -> doubtful("ocfs2", NETWORK);
      case 0x4D44 -> useless("vfat", FAT);
      case 0x2011BAB0 -> useless("exfat", FAT);
      case 0x9FA0 -> useless("proc", NOT_FOR_FILES);
      case 0x62656572 -> useless("sysfs", NOT_FOR_FILES);
      case 0x0027E0EB, 0x63677270 -> useless("cgroup", NOT_FOR_FILES);
      case 0x1CD1 -> useless("devpts", NOT_FOR_FILES);
      case 0x64626720 -> useless("debugfs", NOT_FOR_FILES);
      case 0x74726163 -> useless("tracefs", NOT_FOR_FILES);
      case 0x73636673 -> useless("securityfs", NOT_FOR_FILES);
      case 0x65735543 -> useless("fusectl", NOT_FOR_FILES);
      case 0x6165676C -> useless("pstore", NOT_FOR_FILES);
      case 0x958458F6 -> useless("hugetlbfs", NOT_FOR_FILES);
      case 0x9660 -> useless("iso9660", READ_ONLY);
      case 0x73717368 -> useless("squashfs", READ_ONLY);
      case 0xE0F5E1E2 -> useless("erofs", READ_ONLY);
      default ->
          doubtful(
              "a filesystem of type 0x" + Long.toHexString(magic),
              "HyperSync was not tried on it; ext4 and xfs are recommended");
    };
  }

  static FilesystemType fuse(MountTable.@Nullable Mount mount) {
    if (mount == null) {
      return doubtful("fuse", "HyperSync was not tried on it; ext4 and xfs are recommended");
    }
    return mount.type().equals(FuseMount.TYPE) && mount.source().startsWith(FuseMount.SOURCE)
        ? useless(mount.describe(), OWN)
        : doubtful(mount.describe(), "HyperSync was not tried on it; ext4 and xfs are recommended");
  }

  private static MountTable.@Nullable Mount mount(Path path) {
    try {
      Optional<MountTable.Mount> covering =
          MountTable.read().covering(MountPoint.resolve(path).toString());
      return covering.orElse(null);
    } catch (IOException noProc) {
      return null;
    }
  }

  private static FilesystemType good(String name) {
    return new FilesystemType(name, Verdict.GOOD, "");
  }

  private static FilesystemType doubtful(String name, String why) {
    return new FilesystemType(name, Verdict.DOUBTFUL, why);
  }

  private static FilesystemType useless(String name, String why) {
    return new FilesystemType(name, Verdict.USELESS, why);
  }
}
