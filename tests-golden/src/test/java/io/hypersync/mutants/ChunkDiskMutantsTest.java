package io.hypersync.mutants;

import static io.hypersync.mutants.Mutant.callAnswers;
import static io.hypersync.mutants.Mutant.skips;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Mutants of the chunk store on disk, each of which {@link ChunkDiskTrial} must detect. The
 * unmodified store must pass.
 */
@Tag("slow")
class ChunkDiskMutantsTest {
  private static final long SEED = 1;
  private static final Logger STORE =
      (Logger) LoggerFactory.getLogger("io.hypersync.chunkstore.disk");
  private static @Nullable Level levelBefore;

  @TempDir private Path directory;

  static List<Mutant> mutants() {
    return List.of(
        skips(
            "a damaged chunk is handed out",
            "chunkstore.disk.DiskChunkStore",
            "readVerified",
            "ChunkStore.requireIntact"),
        skips(
            "a chunk that was found damaged counts as here",
            "chunkstore.disk.DiskChunkStore",
            "getVerified",
            "DiskChunkStore.forget"),
        callAnswers(
            "a chunk that is stored again does not count",
            "chunkstore.disk.DiskChunkStore",
            "length",
            "ChunkLocation.equals",
            1),
        skips(
            "what a checkpoint enters was never noted",
            "chunkstore.disk.DiskChunkStore",
            "append",
            "List.addAll"),
        skips(
            "the disk is not asked for room",
            "chunkstore.disk.DiskChunkStore",
            "requireSpace",
            "FreeSpace.require"),
        callAnswers(
            "a damaged record is entered when the store is opened",
            "chunkstore.disk.SegmentScan",
            "take",
            "Chunk.isIntact",
            1),
        skips(
            "what was written since the last checkpoint is not entered at the next start",
            "chunkstore.disk.SegmentRecovery",
            "enter",
            "ChunkIndex.writePatiently"),
        skips(
            "a segment that has lost its end is not noticed",
            "chunkstore.disk.SegmentRecovery",
            "run",
            "SegmentRecovery.requireLength"),
        skips(
            "segments have no end",
            "chunkstore.disk.SegmentWriter",
            "append",
            "SegmentWriter.beginSegment"),
        skips(
            "the filter does not know what earlier runs have stored",
            "chunkstore.disk.ChunkIndex",
            "addToFilter",
            "HashFilter.add"),
        skips(
            "the filter does not know what is entered",
            "chunkstore.disk.ChunkIndex",
            "write",
            "HashFilter.add"));
  }

  @BeforeAll
  static void quiet() {
    levelBefore = STORE.getLevel();
    STORE.setLevel(Level.OFF); // the mutants damage chunks on purpose
  }

  @AfterAll
  static void loud() {
    STORE.setLevel(levelBefore);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaught(Mutant mutant) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    String failure = failure(loader);
    assertTrue(loader.changes() > 0, "nothing was changed: is there no such method or call?");
    assertNotNull(failure, "survives");
    System.out.println(mutant + ": " + failure);
  }

  @Test
  void theStoreAsItIsPasses() throws Exception {
    assertNull(failure(ChunkDiskTrial.class.getClassLoader()));
  }

  /** The failure that the trial reports; null if it passes. */
  private @Nullable String failure(ClassLoader loader) throws Exception {
    Method run =
        loader.loadClass(ChunkDiskTrial.class.getName()).getMethod("run", Path.class, long.class);
    try {
      var _ = run.invoke(null, directory.resolve("store"), SEED);
      return null;
    } catch (InvocationTargetException e) {
      Throwable caught = e.getCause();
      boolean isItsOwn =
          caught instanceof NullPointerException
              || caught instanceof ClassCastException
              || caught instanceof IndexOutOfBoundsException
              || caught instanceof NoSuchElementException
              || caught instanceof LinkageError;
      assertTrue(!isItsOwn, () -> "it stumbles over its own change: " + caught);
      return String.valueOf(caught.getMessage());
    }
  }
}
