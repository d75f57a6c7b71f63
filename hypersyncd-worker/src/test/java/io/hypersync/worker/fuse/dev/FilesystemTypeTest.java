package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verdicts on filesystem types. */
final class FilesystemTypeTest {
  @ParameterizedTest
  @CsvSource({
    "ef53,     ext4,      GOOD",
    "58465342, xfs,       GOOD",
    "9123683e, btrfs,     GOOD",
    "1021994,  tmpfs,     DOUBTFUL",
    "794c7630, overlayfs, DOUBTFUL",
    "6969,     nfs,       DOUBTFUL",
    "ff534d42, smb,       DOUBTFUL",
    "4d44,     vfat,      USELESS",
    "2011bab0, exfat,     USELESS",
    "9fa0,     proc,      USELESS",
    "62656572, sysfs,     USELESS"
  })
  void byNumber(String magic, String name, FilesystemType.Verdict verdict) {
    FilesystemType type = FilesystemType.of(Long.parseLong(magic, 16));
    assertEquals(name, type.name());
    assertEquals(verdict, type.verdict());
  }

  @Test
  void whatIsNotKnownIsDoubted() {
    FilesystemType type = FilesystemType.of(0x12345678L);
    assertEquals(FilesystemType.Verdict.DOUBTFUL, type.verdict());
    assertTrue(type.name().contains("0x12345678"), type.name());
  }

  @Test
  void aWorkspaceCannotBeKeptInAWorkspace() {
    assertEquals(FilesystemType.Verdict.USELESS, fuse("fuse.hypersync", "hypersync:0011"));
    assertEquals(FilesystemType.Verdict.DOUBTFUL, fuse("fuse.hypersync", "another"));
    assertEquals(FilesystemType.Verdict.DOUBTFUL, fuse("fuse.sshfs", "host:/"));
  }

  private static FilesystemType.Verdict fuse(String type, String source) {
    return FilesystemType.fuse(new MountTable.Mount("0:1", "/mnt", type, source)).verdict();
  }
}
