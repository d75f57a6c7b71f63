package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which inodes the kernel holds, by lookup counts. */
class KernelInodesTest {
  private final KernelInodes inodes = new KernelInodes();
  private final TestTree tree = new TestTree();
  private Node file = tree.node(FsState.ROOT);

  @BeforeEach
  void aFile() {
    file = tree.file("a");
  }

  @Test
  void theRootIsKnownAndNeverForgotten() {
    assertEquals(FsState.ROOT, inodes.node(InodeNo.ROOT));
    inodes.forget(InodeNo.ROOT, 100);
    assertEquals(FsState.ROOT, inodes.node(InodeNo.ROOT));
    assertEquals(1, inodes.size());
  }

  @Test
  void anInodeIsKnownUntilEveryLookupIsTakenBack() {
    InodeNo number = file.inode();
    assertNull(inodes.node(number));
    inodes.lookedUp(file);
    inodes.lookedUp(file);
    inodes.lookedUp(file);
    assertEquals(file.id(), inodes.node(number));
    inodes.forget(number, 1);
    assertNotNull(inodes.node(number));
    inodes.forget(number, 2);
    assertNull(inodes.node(number));
  }

  @Test
  void theKernelMayHavePagesOfWhatWasReadUntilItForgetsTheInode() {
    InodeNo number = file.inode();
    inodes.notePages(number);
    assertFalse(inodes.mayHavePages(number), "unknown");
    inodes.lookedUp(file);
    assertFalse(inodes.mayHavePages(number), "known, never read");
    inodes.notePages(number);
    inodes.lookedUp(file);
    inodes.forget(number, 1);
    assertTrue(inodes.mayHavePages(number), "read, still known");
    inodes.forget(number, 1);
    inodes.lookedUp(file);
    assertFalse(inodes.mayHavePages(number), "forgotten and known again");
  }

  @Test
  void takingBackTooMuchIsForgettingAndTheUnknownIsNobodys() {
    inodes.lookedUp(file);
    inodes.forget(file.inode(), -1L); // 2^64 - 1
    assertNull(inodes.node(file.inode()));
    inodes.forget(new InodeNo(999), 1);
    assertEquals(1, inodes.size());
  }

  @Test
  void ofADirectoryThatIsBeingChangedOnlyNamesOfDirectoriesAreKept() {
    Name name = Name.of("n");
    long busyUntilNs = 1_000;
    assertTrue(inodes.noteName(InodeNo.ROOT, name, false, 0), "quiet");
    inodes.changing(InodeNo.ROOT, busyUntilNs);
    assertFalse(inodes.noteName(InodeNo.ROOT, name, false, busyUntilNs - 1));
    assertTrue(inodes.noteName(InodeNo.ROOT, name, true, busyUntilNs - 1));
    assertTrue(inodes.noteName(InodeNo.ROOT, name, false, busyUntilNs), "quiet again");
  }
}
