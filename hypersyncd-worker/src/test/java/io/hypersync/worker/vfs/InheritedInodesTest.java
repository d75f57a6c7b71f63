package io.hypersync.worker.vfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.incarnation.Memories;
import io.hypersync.worker.incarnation.MountMemory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one process has told the kernel of, the next one knows (decision 066). */
class InheritedInodesTest {
  private final TestTree tree = new TestTree();
  private Node file = tree.node(FsState.ROOT);
  private MountMemory memory;
  private KernelInodes before;

  @BeforeEach
  void aFileThatTheKernelHasLookedUpFiveTimes() throws IOException {
    file = tree.file("a");
    memory = Memories.ofANewMount();
    before = new KernelInodes(memory, false);
    for (int i = 0; i < 5; i++) {
      before.lookedUp(file);
    }
  }

  private KernelInodes next() {
    return new KernelInodes(memory, true);
  }

  @Test
  void theNextProcessKnowsWhatTheKernelHoldsFromTheBeginning() {
    KernelInodes after = next();
    assertEquals(file.id(), after.node(file.inode()));
    assertEquals(Set.of(InodeNo.ROOT, file.inode()), Set.copyOf(after.inherit()));
    assertTrue(after.takeAttributes(file.inode()), "the kernel may have its attributes");
    assertTrue(after.mayHavePages(file.inode()), "and pages");
    CachedListing listing = after.listing(InodeNo.ROOT, 0);
    assertNotNull(listing);
    assertEquals(CachedListing.Use.REFILL, listing.opened(0), "and listings of directories");
  }

  /** The kernel reads its FORGETs in batches, with other requests between. */
  @Test
  void aForgetThatComesBehindALookupTakesBackWhatWasLookedUpBefore() {
    KernelInodes after = next();
    after.lookedUp(file); // the kernel has let go of the inode, and has a new one
    after.forget(file.inode(), 5);
    assertEquals(file.id(), after.node(file.inode()), "the new one");
    after.forget(file.inode(), 1);
    assertNull(after.node(file.inode()));
    assertEquals(1, next().size(), "nor does the process after that one know it");
  }

  @Test
  void aForgetOfOneAnswerOfTheProcessBeforeLeavesTheOthers() {
    KernelInodes after = next();
    after.forget(file.inode(), 1);
    assertEquals(file.id(), after.node(file.inode()));
    assertEquals(file.id(), next().node(file.inode()));
    next().forget(file.inode(), 4);
    assertNull(next().node(file.inode()));
  }

  @Test
  void anAnswerThatWasCountedAndNotGivenLosesNothing() {
    before.lookedUp(file); // and killed; the kernel sends the LOOKUP again
    KernelInodes after = next();
    after.lookedUp(file);
    after.forget(file.inode(), 6);
    assertNotNull(after.node(file.inode()), "one more than the kernel has counted");
    after.lookedUp(file);
    after.forget(file.inode(), 1);
    assertNotNull(after.node(file.inode()));
  }

  @Test
  void anInodeThatDoesNotTurnUpIsAbsentUntilAnAnswerNamesIt() {
    KernelInodes after = next();
    AbsentInodes absent = after.absent();
    Object wait = absent.begin(file.inode());
    assertNotNull(wait);
    absent.inVain(file.inode(), wait);
    absent.end(file.inode(), wait);
    assertNull(absent.begin(file.inode()), "nobody waits for it again");
    assertNotNull(after.node(file.inode()), "but it is known");
    after.lookedUp(file);
    assertNotNull(absent.begin(file.inode()), "an answer is on its way");
  }

  @Test
  void anAnswerDuringTheWaitMayStillBeOnItsWay() {
    KernelInodes after = next();
    Object wait = after.absent().begin(file.inode());
    assertNotNull(wait);
    after.lookedUp(file);
    after.absent().inVain(file.inode(), wait);
    assertNotNull(after.absent().begin(file.inode()));
  }

  @Test
  void onlyWhatAnEarlierProcessHasCountedMayBeCountedTooHigh() {
    KernelInodes after = next();
    Node another = tree.file("b");
    after.lookedUp(another);
    assertTrue(after.isInherited(file.inode()));
    assertFalse(after.isInherited(another.inode()));
    after.forget(file.inode(), 5);
    after.lookedUp(file);
    assertFalse(after.isInherited(file.inode()), "counted anew");
  }

  @Test
  void aWaitSaysNothingIfAnotherOneHasBegunSince() {
    KernelInodes after = next();
    Object first = after.absent().begin(file.inode());
    Object second = after.absent().begin(file.inode());
    assertNotNull(first);
    assertNotNull(second);
    after.absent().inVain(file.inode(), first);
    Object third = after.absent().begin(file.inode());
    assertNotNull(third);
    after.absent().inVain(file.inode(), third);
    assertNull(after.absent().begin(file.inode()));
    after.lookedUp(file);
    assertNotNull(after.absent().begin(file.inode()), "named again");
  }

  /**
   * A kernel that takes answers up late, forgets, and hands FORGETs out in any order between other
   * requests, while one process after the other is killed: whatever it holds is known.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatTheKernelHoldsIsKnownWhateverIsUnderWayWhenProcessesDie(long seed) {
    Random random = new Random(seed);
    List<Node> files = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      files.add(tree.file("f" + i));
    }
    KernelInodes process = before;
    Map<InodeNo, Long> held = new HashMap<>(); // nlookup of each inode of the kernel
    held.put(file.inode(), 5L);
    Deque<InodeNo> answers = new ArrayDeque<>(); // written, and not taken up
    List<Map.Entry<InodeNo, Long>> forgets = new ArrayList<>();
    int deaths = 0;
    for (int step = 0; step < 20_000; step++) {
      Node any = files.get(random.nextInt(files.size()));
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          process.lookedUp(any);
          if (random.nextInt(200) == 0) {
            process = next(); // killed before it could answer
            deaths++;
          } else {
            answers.add(any.inode());
          }
        }
        case 2 -> {
          if (!answers.isEmpty()) {
            held.merge(answers.remove(), 1L, Long::sum);
          }
        }
        case 3 -> {
          Long all = held.remove(any.inode());
          if (all != null) {
            forgets.add(Map.entry(any.inode(), all));
          }
        }
        case 4 -> {
          if (!answers.isEmpty()) {
            forgets.add(Map.entry(answers.remove(), 1L)); // it leads elsewhere than the name does
          }
        }
        default -> {
          if (!forgets.isEmpty()) {
            Map.Entry<InodeNo, Long> forget = forgets.remove(random.nextInt(forgets.size()));
            if (random.nextInt(200) == 0) {
              process = next(); // killed when it has read it
              deaths++;
            } else {
              process.forget(forget.getKey(), forget.getValue());
            }
          }
        }
      }
      for (InodeNo inode : held.keySet()) {
        assertNotNull(process.node(inode), "step " + step + ": the kernel holds " + inode);
      }
      for (InodeNo inode : answers) {
        assertNotNull(process.node(inode), "step " + step + ": it will hold " + inode);
      }
    }
    assertTrue(deaths > 20, deaths + " deaths");
  }
}
