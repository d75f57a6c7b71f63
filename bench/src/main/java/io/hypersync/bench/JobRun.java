package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Does jobs in one place; what one leaves there is the next one's. */
final class JobRun {
  private static final int MEBIBYTE = 1 << 20;
  private static final int LARGE_MEBIBYTES = 256;
  private static final int PAGE_BYTES = 4096;
  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  private final Place place;
  private final JobMaterial material;
  private final Path clone;
  private final Path untarred;
  private final Path large;
  private volatile @Nullable Process running;
  private volatile boolean stopped;

  JobRun(Place place, JobMaterial material) throws IOException {
    this.place = place;
    this.material = material;
    Path root = Files.createDirectories(place.root());
    this.clone = root.resolve("clone");
    this.untarred = root.resolve("untarred");
    this.large = root.resolve("large");
  }

  Place.Kind place() {
    return place.kind();
  }

  /** Ends what runs, and lets nothing run after it. */
  void stop() {
    stopped = true;
    Process process = running;
    if (process != null) {
      process.destroy();
    }
  }

  /**
   * Does it once.
   *
   * @return how long it took, in nanoseconds
   * @throws IOException with what a program said, if one fails
   */
  long time(Job job) throws IOException, InterruptedException {
    prepare(job);
    long beganNs = System.nanoTime();
    run(job);
    return System.nanoTime() - beganNs;
  }

  private void prepare(Job job) throws IOException, InterruptedException {
    switch (job) {
      case STATUS, WALK, GREP -> {
        if (!Files.exists(clone)) {
          run(Job.CLONE);
        }
        run(job); // once for the caches
      }
      case LARGE_READ_COLD, LARGE_READ_WARM -> {
        if (!Files.exists(large)) {
          run(Job.LARGE_WRITE);
        }
        if (job == Job.LARGE_READ_COLD) {
          program("sync");
          Files.writeString(DROP_CACHES, "3");
        } else {
          run(job);
        }
      }
      case REMOVE -> {
        if (!Files.exists(clone)) {
          run(Job.CLONE);
        }
        if (!Files.exists(untarred)) {
          run(Job.UNTAR);
        }
      }
      case CLONE, UNTAR, LARGE_WRITE -> program("rm", "-rf", target(job).toString());
    }
  }

  private Path target(Job job) {
    return switch (job) {
      case UNTAR -> untarred;
      case LARGE_WRITE, LARGE_READ_COLD, LARGE_READ_WARM -> large;
      case CLONE, STATUS, WALK, GREP, REMOVE -> clone;
    };
  }

  private void run(Job job) throws IOException, InterruptedException {
    switch (job) {
      case CLONE ->
          program(
              JobMaterial.git(
                  place.root(),
                  "clone",
                  "--quiet",
                  "file://" + material.repository(),
                  clone.toString()));
      case UNTAR -> {
        Files.createDirectory(untarred);
        program("tar", "--extract", "--file=" + material.archive(), "--directory=" + untarred);
      }
      case STATUS -> program(JobMaterial.git(clone, "status", "--porcelain"));
      case WALK -> program("find", clone.toString(), "-size", "+1G");
      case GREP ->
          // It ends with 1, for there is none.
          program(
              "sh",
              "-c",
              "grep -r --exclude-dir=.git -e \"$1\" \"$2\"; test $? = 1",
              "sh",
              JobMaterial.ABSENT_WORD,
              clone.toString());
      case REMOVE -> program("rm", "-rf", clone.toString(), untarred.toString());
      case LARGE_WRITE -> writeLarge();
      case LARGE_READ_COLD, LARGE_READ_WARM -> readLarge();
    }
  }

  private void program(String... command) throws IOException, InterruptedException {
    if (stopped) {
      throw new InterruptedException("stopped");
    }
    Process process = Command.start(command);
    running = process;
    try {
      Command.finish(process, command);
    } finally {
      running = null;
    }
  }

  private void writeLarge() throws IOException, InterruptedException {
    ByteBuffer block = block();
    byte[] bytes = new byte[MEBIBYTE];
    new Random(3).nextBytes(bytes);
    try (FileChannel file =
        FileChannel.open(large, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < LARGE_MEBIBYTES; i++) {
        requireGoingOn();
        block.clear().put(bytes).flip();
        for (int page = 0; page < MEBIBYTE; page += PAGE_BYTES) {
          block.putInt(page, i); // no two pages are the same
          block.putInt(page + Integer.BYTES, page);
        }
        FileWork.writeAll(file, block);
      }
      file.force(true);
    }
  }

  private void readLarge() throws IOException, InterruptedException {
    ByteBuffer block = block();
    long read = 0;
    try (FileChannel file = FileChannel.open(large, StandardOpenOption.READ)) {
      for (int got = file.read(block); got >= 0; got = file.read(block.clear())) {
        requireGoingOn();
        read += got;
      }
    }
    if (read != (long) LARGE_MEBIBYTES * MEBIBYTE) {
      throw new IOException(large + " has " + read + " bytes");
    }
  }

  private void requireGoingOn() throws InterruptedException {
    if (stopped) {
      throw new InterruptedException("stopped");
    }
  }

  /** Aligned: other memory makes two requests of each write. */
  private static ByteBuffer block() {
    return ByteBuffer.allocateDirect(MEBIBYTE + PAGE_BYTES)
        .alignedSlice(PAGE_BYTES)
        .slice(0, MEBIBYTE);
  }
}
