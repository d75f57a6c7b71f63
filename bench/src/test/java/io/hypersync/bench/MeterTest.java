package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The meter")
final class MeterTest {
  private static final long WARM_UP_NS = Duration.ofMillis(10).toNanos();
  private static final long MEASURE_NS = Duration.ofMillis(60).toNanos();

  @TempDir private Path folder;

  private MeasuredFilesystem place() {
    return new MeasuredFilesystem(MeasuredFilesystem.Kind.PLAIN, folder);
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  @DisplayName("measures every operation on a plain folder")
  void everyOperation(Operation operation) throws IOException, InterruptedException {
    Sample sample = new Meter(WARM_UP_NS, MEASURE_NS).measure(operation, place(), 2);
    assertTrue(sample.operations() > 0, sample::toString);
    assertTrue(sample.elapsedNs() >= MEASURE_NS, sample::toString);
    assertTrue(sample.p50Ns() > 0 && sample.p50Ns() <= sample.p99Ns(), sample::toString);
    assertEquals(2, sample.threads());
  }

  @Test
  @DisplayName("counts the processor time of those who serve the folder, and nobody else's")
  void processorTime() throws IOException, InterruptedException {
    long self = ProcessHandle.current().pid();
    MeasuredFilesystem served = place().servedBy(Map.of("this process", self));
    Sample sample =
        new Meter(0, Duration.ofMillis(500).toNanos()).measure(Operation.STAT, served, 2);
    long taken = sample.cpu().allNs().orElseThrow();
    assertTrue(taken > 0, "two threads that never wait");
    assertTrue(sample.cpuNsPerOperation().orElseThrow() > 0);
    Sample unknown = new Meter(0, MEASURE_NS).measure(Operation.STAT, place(), 1);
    assertTrue(unknown.cpuNsPerOperation().isEmpty());
    MeasuredFilesystem gone = place().servedBy(Map.of("nobody", Long.MAX_VALUE));
    assertTrue(new Meter(0, MEASURE_NS).measure(Operation.CHMOD, gone, 1).cpu().ns().isEmpty());
  }

  @Test
  @DisplayName("goes no faster than it is told to, and no slower")
  void pace() throws IOException, InterruptedException {
    Sample sample =
        new Meter(0, Duration.ofMillis(500).toNanos(), 100).measure(Operation.STAT, place(), 2);
    assertTrue(sample.operations() >= 45 && sample.operations() <= 52, sample::toString);
    assertTrue(sample.p50Ns() < Duration.ofMillis(5).toNanos(), "waiting is not measured");
  }

  @Test
  @DisplayName("ends with what an operation threw, however many threads there are")
  void failure() throws IOException {
    Files.createDirectories(folder.resolve("create-4/t2"));
    Files.createFile(folder.resolve("create-4/t2/f0"));
    assertThrows(
        FileAlreadyExistsException.class,
        () -> new Meter(0, MEASURE_NS).measure(Operation.CREATE, place(), 4));
  }

  @Test
  @DisplayName("ends soon when it is stopped, and does not begin again")
  void stop() throws InterruptedException {
    Meter meter = new Meter(0, Duration.ofMinutes(10).toNanos());
    Thread stopper =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Thread.sleep(100);
                    meter.stop();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertThrows(InterruptedException.class, () -> meter.measure(Operation.STAT, place(), 2));
    stopper.join();
    assertThrows(InterruptedException.class, () -> meter.measure(Operation.APPEND, place(), 1));
  }
}
