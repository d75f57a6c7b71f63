package io.hypersync.mutants;

import static io.hypersync.mutants.Mutant.callAnswers;
import static io.hypersync.mutants.Mutant.skips;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.disk.Naming;
import io.hypersync.disk.PowerLossDisk;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
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
 * Mutants of the collection of dead chunks, each of which {@link ChunkCollectionTrial} must detect
 * on a disk that loses what is not synced. The unmodified store must pass. Needs root and
 * /dev/fuse, and fails without them.
 */
@Tag("slow")
@Tag("mount")
class ChunkCollectionMutantsTest {
  private static final long SEED = 1;
  private static final Logger STORE =
      (Logger) LoggerFactory.getLogger("io.hypersync.chunkstore.disk");
  private static @Nullable Level levelBefore;

  @TempDir private Path directory;

  static List<Mutant> mutants() {
    return List.of(
        skips(
            "segments are deleted before the copies are synced",
            "chunkstore.disk.DiskCollection",
            "step",
            "DiskChunkStore.checkpoint"),
        skips(
            "the index moves before the copies are durable",
            "chunkstore.disk.DiskChunkStore",
            "enter",
            "SegmentWriter.sync"),
        skips(
            "what was asked for since the run began is forgotten",
            "chunkstore.KeptChunks",
            "promise",
            "Stripe.keep"),
        skips(
            "what was put since the run began is forgotten",
            "chunkstore.disk.DiskChunkStore",
            "append",
            "KeptChunks.stored"),
        skips("marks are forgotten", "chunkstore.KeptChunks", "mark", "Stripe.keep"),
        skips(
            "a segment that cannot be read counts as empty",
            "chunkstore.disk.DiskCollection",
            "copies",
            "DiskCollection.retain"),
        skips(
            "what is gone stays in the index",
            "chunkstore.disk.DiskChunkStore",
            "remove",
            "ChunkIndex.remove"),
        skips(
            "no segment is deleted",
            "chunkstore.disk.DiskCollection",
            "delete",
            "ChunkSegmentFiles.delete"),
        skips(
            "living chunks are not copied",
            "chunkstore.disk.DiskCollection",
            "copy",
            "DiskChunkStore.copy"),
        callAnswers(
            "damaged chunks are copied",
            "chunkstore.disk.DiskChunkStore",
            "readVerified",
            "ChunkStore.requireIntact",
            null));
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
  void theCollectionAsItIsPasses() throws Exception {
    assertNull(failure(ChunkCollectionTrial.class.getClassLoader()));
  }

  /** The failure that the trial reports; null if it passes. */
  private @Nullable String failure(ClassLoader loader) throws Exception {
    Method run =
        loader
            .loadClass(ChunkCollectionTrial.class.getName())
            .getMethod("run", Path.class, long.class, Runnable.class);
    Path point = Files.createDirectory(directory.resolve("disk"));
    Random random = new Random(SEED);
    try (PowerLossDisk disk = PowerLossDisk.mount(point, Naming.STRICT)) {
      Path store = point.resolve("store");
      DurableFiles.createDirectories(store); // as daemons do
      var _ = run.invoke(null, store, SEED, (Runnable) () -> cutPower(disk, random));
      return null;
    } catch (InvocationTargetException e) {
      Throwable caught = e.getCause();
      boolean isItsOwn = caught instanceof NullPointerException || caught instanceof LinkageError;
      assertTrue(!isItsOwn, () -> "it stumbles over its own change: " + caught);
      return String.valueOf(caught.getMessage());
    }
  }

  private static void cutPower(PowerLossDisk disk, Random random) {
    try {
      disk.cutPower(random, 0);
    } catch (IOException e) {
      throw new IllegalArgumentException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalArgumentException(e);
    }
  }
}
