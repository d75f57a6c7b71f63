package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Large files, and many files. */
@RealMounts
class BulkDataTest {
  private static final int BLOCK_BYTES = 1 << 20;
  private static final int BLOCKS = 64;
  private static final int FILES = 1000;
  private static final long SEED = 8;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path outside;

  @Test
  void aFileOf64MiBWrittenOnOneMountIsTheSameOnTheOther() throws Exception {
    Path original = outside.resolve("big");
    Path onA = CLUSTER.mount("a").resolve("big");
    Random random = new Random(SEED);
    byte[] block = new byte[BLOCK_BYTES];
    try (FileChannel copy = create(original);
        FileChannel replicated = create(onA)) {
      for (int i = 0; i < BLOCKS; i++) {
        random.nextBytes(block);
        copy.write(ByteBuffer.wrap(block));
        ByteBuffer rest = ByteBuffer.wrap(block);
        while (rest.hasRemaining()) {
          replicated.write(rest);
        }
      }
      replicated.force(true);
    }
    CLUSTER.get().settle("b");
    for (String worker : List.of("a", "b")) {
      assertEquals(
          -1,
          Files.mismatch(original, CLUSTER.mount(worker).resolve("big")),
          "first difference on " + worker);
    }
    CLUSTER.get().assertSameRoots("a", "b");
  }

  @Test
  void aThousandFilesMadeOnOneMountAreListedInOrderOnTheOther() throws Exception {
    Path onA = Files.createDirectory(CLUSTER.mount("a").resolve("many"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      String name = "file-%04d".formatted(i);
      expected.add(name);
      Files.writeString(onA.resolve(name), name);
    }
    CLUSTER.get().settle("b");
    Path onB = CLUSTER.mount("b").resolve("many");
    try (Stream<Path> listing = Files.list(onB)) {
      assertEquals(
          expected, listing.map(path -> path.getFileName().toString()).toList(), "listed on B");
    }
    for (String name : expected) {
      assertEquals(name, Files.readString(onB.resolve(name)), "content on B");
    }
    CLUSTER.get().assertSameRoots("a", "b");
  }

  private static FileChannel create(Path path) throws java.io.IOException {
    return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }
}
