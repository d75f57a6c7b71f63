package io.hypersync.runtime.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.agent.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The clock that goes on while the machine is suspended. */
class BootClockTest {
  private static final long S = 1_000_000_000L;

  @Test
  void itIsNeverBehindTheMonotonicClock() {
    for (int i = 0; i < 10_000; i++) {
      long monotonic = System.nanoTime();
      assertTrue(BootClock.nanoTime() >= monotonic);
    }
  }

  @Test
  void itIsTheUptimeOfTheKernel() throws IOException {
    double before = BootClock.nanoTime() / (double) S;
    double uptime = Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ", -1)[0]);
    double after = BootClock.nanoTime() / (double) S;
    // The kernel tells hundredths.
    assertTrue(uptime >= before - 0.02 && uptime <= after + 0.02, before + " " + uptime);
  }

  @Test
  void whatWasSuspendedIsTheDifferenceOfTheTwoClocks() {
    double difference = (BootClock.nanoTime() - System.nanoTime()) / (double) S;
    assertEquals(difference, Clock.SYSTEM.suspendedNs() / (double) S, 0.5);
    assertTrue(Clock.SYSTEM.suspendedNs() > -S / 100);
  }

  @Test
  void itGoesOn() {
    long last = Clock.SYSTEM.monotonicNs();
    for (int i = 0; i < 100_000; i++) {
      long now = Clock.SYSTEM.monotonicNs();
      assertTrue(now >= last);
      last = now;
    }
  }

  /** What it costs more than the clock that Java has; the least of many, as others work, too. */
  @Test
  void aCallTakesLessThanAMicrosecond() {
    double boot = leastNs(Clock.SYSTEM::monotonicNs);
    System.out.printf(
        "CLOCK_BOOTTIME: %.1f ns a call, CLOCK_MONOTONIC: %.1f ns%n",
        boot, leastNs(System::nanoTime));
    assertTrue(boot < 1_000, () -> boot + " ns");
  }

  private static double leastNs(LongSupplier clock) {
    double least = Double.MAX_VALUE;
    long sum = 0;
    for (int round = 0; round < 200; round++) {
      long begin = System.nanoTime();
      for (int i = 0; i < 10_000; i++) {
        sum += clock.getAsLong();
      }
      least = Math.min(least, (System.nanoTime() - begin) / 10_000.0);
    }
    assertTrue(sum != 0);
    return least;
  }
}
