package io.hypersync.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** Runs jobs in one place; a job's results stay there as input of the next one. */
final class JobRun {
  private static final int MEBIBYTE = 1 << 20;
  private static final int LARGE_MEBIBYTES = 256;
  private static final int PAGE_BYTES = 4096;

  /** grep's exit code if nothing matches. */
  private static final int NOTHING_FOUND = 1;

  private final MeasuredFilesystem place;
  private final JobMaterial material;
  private final Programs programs;
  private final Path clone;
  private final Path untarred;
  private final Path large;

  JobRun(MeasuredFilesystem place, JobMaterial material, Programs programs) throws IOException {
    this.place = place;
    this.material = material;
    this.programs = programs;
    Path root = Files.createDirectories(place.root());
    this.clone = root.resolve("clone");
    this.untarred = root.resolve("untarred");
    this.large = root.resolve("large");
  }

  MeasuredFilesystem.Kind place() {
    return place.kind();
  }

  /**
   * Runs a job once.
   *
   * @return how long it took, in nanoseconds
   * @throws IOException with a program's output, if it fails
   */
  long time(Job job) throws IOException, InterruptedException {
    prepare(job);
    programs.run("sync"); // pending writes of others must not slow down this job
    if (job == Job.LARGE_READ_COLD) {
      KernelCacheDropper.drop();
    }
    ByteBuffer block = job == Job.LARGE_WRITE ? randomBlock() : block();
    long beganNs = System.nanoTime();
    run(job, block);
    return System.nanoTime() - beganNs;
  }

  private void prepare(Job job) throws IOException, InterruptedException {
    switch (job) {
      case STATUS, WALK, GREP -> {
        if (!Files.exists(clone)) {
          run(Job.CLONE, block());
        }
        run(job, block()); // once to fill the caches
      }
      case LARGE_READ_COLD, LARGE_READ_WARM -> {
        if (!Files.exists(large)) {
          run(Job.LARGE_WRITE, randomBlock());
        }
        if (job == Job.LARGE_READ_WARM) {
          run(job, block());
        }
      }
      case REMOVE -> {
        if (!Files.exists(clone)) {
          run(Job.CLONE, block());
        }
        if (!Files.exists(untarred)) {
          run(Job.UNTAR, block());
        }
      }
      case CLONE, UNTAR, LARGE_WRITE -> programs.run("rm", "-rf", target(job).toString());
    }
  }

  private Path target(Job job) {
    return switch (job) {
      case UNTAR -> untarred;
      case LARGE_WRITE, LARGE_READ_COLD, LARGE_READ_WARM -> large;
      case CLONE, STATUS, WALK, GREP, REMOVE -> clone;
    };
  }

  /**
   * Runs a job without measuring it.
   *
   * @param block buffer for large files; for LARGE_WRITE, the bytes to write
   */
  private void run(Job job, ByteBuffer block) throws IOException, InterruptedException {
    switch (job) {
      case CLONE ->
          programs.run(
              JobMaterial.git(
                  place.root(),
                  "clone",
                  "--quiet",
                  "file://" + material.repository(),
                  clone.toString()));
      case UNTAR -> {
        Files.createDirectory(untarred);
        programs.run("tar", "--extract", "--file=" + material.archive(), "--directory=" + untarred);
      }
      case STATUS -> programs.run(JobMaterial.git(clone, "status", "--porcelain"));
      case WALK -> programs.run("find", clone.toString(), "-size", "+1G");
      case GREP ->
          programs.run(
              NOTHING_FOUND,
              "grep",
              "-r",
              "--exclude-dir=.git",
              JobMaterial.ABSENT_WORD,
              clone.toString());
      case REMOVE -> programs.run("rm", "-rf", clone.toString(), untarred.toString());
      case LARGE_WRITE -> programs.run(() -> writeLarge(block));
      case LARGE_READ_COLD, LARGE_READ_WARM -> programs.run(() -> readLarge(block));
    }
  }

  private void writeLarge(ByteBuffer block) throws IOException, InterruptedException {
    try (FileChannel file =
        FileChannel.open(large, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < LARGE_MEBIBYTES; i++) {
        programs.requireGoingOn();
        for (int page = 0; page < MEBIBYTE; page += PAGE_BYTES) {
          block.putInt(page, i); // makes all pages different
        }
        FileWork.writeAll(file, block.clear());
      }
      file.force(true);
    }
  }

  private void readLarge(ByteBuffer block) throws IOException, InterruptedException {
    long read = 0;
    try (FileChannel file = FileChannel.open(large, StandardOpenOption.READ)) {
      for (int got = file.read(block.clear()); got >= 0; got = file.read(block.clear())) {
        programs.requireGoingOn();
        read += got;
      }
    }
    if (read != (long) LARGE_MEBIBYTES * MEBIBYTE) {
      throw new IOException(large + " has " + read + " bytes");
    }
  }

  /** Returns random bytes, which no chunk store has yet. */
  private static ByteBuffer randomBlock() {
    byte[] bytes = new byte[MEBIBYTE];
    new Random().nextBytes(bytes);
    return block().put(bytes).clear();
  }

  /** Returns a page-aligned buffer: with any other, each write would become two FUSE requests. */
  private static ByteBuffer block() {
    return ByteBuffer.allocateDirect(MEBIBYTE + PAGE_BYTES)
        .alignedSlice(PAGE_BYTES)
        .slice(0, MEBIBYTE);
  }
}
