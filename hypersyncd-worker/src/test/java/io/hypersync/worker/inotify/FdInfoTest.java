package io.hypersync.worker.inotify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.InodeNo;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines as Linux 6.18 writes them. */
class FdInfoTest {
  private static final long DEVICE = 0x2a;

  private final Map<InodeNo, Integer> masks = new HashMap<>();

  @Test
  void watchesOfTheMountAreTakenAndOthersAreNot() {
    collect(
        "pos:\t0",
        "flags:\t02004000",
        "mnt_id:\t17",
        "ino:\t12",
        "inotify wd:2 ino:1f4 sdev:2a mask:fce ignored_mask:0 fhandle-bytes:c fhandle-type:81"
            + " f_handle:00000000f401000000000000",
        "inotify wd:1 ino:1f5 sdev:800001 mask:fce ignored_mask:0 fhandle-bytes:8 fhandle-type:1"
            + " f_handle:f501000000000000");
    assertEquals(Map.of(new InodeNo(0x1f4), 0xfc6), masks, "closes are not reported");
  }

  @Test
  void masksOfOneInodeAreJoined() {
    collect("inotify wd:1 ino:7 sdev:2a mask:100 ignored_mask:0");
    collect("inotify wd:9 ino:7 sdev:2a mask:40000202 ignored_mask:0");
    assertEquals(
        Map.of(new InodeNo(7), WatchMask.CREATE | WatchMask.DELETE | WatchMask.MODIFY), masks);
  }

  @Test
  void inodeNumbersHave64Bits() {
    collect("inotify wd:1 ino:7fffffffffffffff sdev:2a mask:2");
    assertEquals(Map.of(new InodeNo(Long.MAX_VALUE), WatchMask.MODIFY), masks);
  }

  @Test
  void linesOfAnotherFormAreLeftOut() {
    collect(
        "",
        "inotify ",
        "inotify wd:1 ino:x sdev:2a mask:2",
        "inotify wd:1 sdev:2a mask:2",
        "inotify wd:1 ino:1 sdev:2a",
        "eventfd-count: 0");
    assertEquals(Map.of(), masks);
  }

  private void collect(String... lines) {
    FdInfo.collect(List.of(lines), DEVICE, masks);
  }
}
