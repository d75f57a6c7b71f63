package io.hypersync.e2e.harness;

import io.hypersync.runtime.file.DurableFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * Where the JVMs that tests start get their classes from. It is this JVM's class path, with a jar
 * in the place of each directory: what it loads from jars, a JVM can keep for the next one in an
 * AOT cache. That takes a quarter off the processor time of a daemon's start, and tests start
 * hundreds.
 *
 * <p>The training run for the cache goes on beside the first tests. Children that are started
 * before its end, or after it has failed, do without.
 */
final class ChildClasses {
  private static final String TRAINING = "io.hypersync.cli.DaemonAotTraining";
  private static final long TRAINING_LIMIT_S = 300;
  private static @Nullable ChildClasses shared;

  private final Path folder;
  private final String classPath;
  private volatile @Nullable Path cache;

  private ChildClasses(Path folder) throws IOException {
    this.folder = folder;
    List<String> jars = new ArrayList<>();
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(place);
      jars.add(Files.isDirectory(path) ? jar(path, jars.size()).toString() : place);
    }
    this.classPath = String.join(File.pathSeparator, jars);
  }

  /** Those of this JVM's children; the first call begins the training run. */
  static synchronized ChildClasses shared() {
    if (shared == null) {
      try {
        shared = new ChildClasses(Files.createTempDirectory("hs-e2e-classes-"));
        shared.train();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return shared;
  }

  String classPath() {
    return classPath;
  }

  /** Options with which a JVM uses the cache; empty while there is none. */
  List<String> options() {
    Path trained = cache;
    // What the JVM says of a cache that it cannot use is of no use to tests.
    return trained == null
        ? List.of()
        : List.of("-XX:AOTCache=" + trained, "-Xlog:aot*=off", "-Xlog:cds*=off");
  }

  private Path jar(Path directory, int number) throws IOException {
    Path jar = folder.resolve("classes-" + number + ".jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(directory)) {
      out.setLevel(Deflater.NO_COMPRESSION);
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(directory.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    return jar;
  }

  private void train() throws IOException {
    Path fresh = folder.resolve("daemons.aot");
    Path work = Files.createDirectory(folder.resolve("training"));
    List<String> command = new ArrayList<>(ChildJvm.java(List.of("-XX:AOTCacheOutput=" + fresh)));
    command.addAll(List.of("-cp", classPath, TRAINING, work.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("training.log").toFile());
    builder.environment().putAll(ChildJvm.environment(work));
    Process training = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(training), "training-end"));
    Thread waiter = new Thread(() -> await(training, fresh), "training");
    waiter.setDaemon(true);
    waiter.start();
  }

  private void await(Process training, Path fresh) {
    try {
      if (training.waitFor(TRAINING_LIMIT_S, TimeUnit.SECONDS) && training.exitValue() == 0) {
        cache = fresh;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end(Process training) {
    training.descendants().forEach(ProcessHandle::destroyForcibly);
    training.destroyForcibly();
    try {
      int _ = training.waitFor();
      DurableFiles.deleteTree(folder);
    } catch (IOException e) {
      System.err.println("cannot remove " + folder + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
