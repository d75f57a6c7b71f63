package io.hypersync.cli.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class IdleMemoryTest {
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final long HEARTBEATS = 200_000;

  private final Memory process = new Memory();

  /** Its time wraps soon, as that of a JVM may. */
  private final ManualClock time =
      new ManualClock(Long.MAX_VALUE - Duration.ofSeconds(5).toNanos());

  private final IdleMemory idle = new IdleMemory(process, time);

  @Test
  void roomIsGivenBackOnceAfterAMinuteWithoutWork() {
    idleFor(Duration.ofSeconds(59));
    assertEquals(List.of(), process.calls, "it may still be at work");
    idleFor(Duration.ofSeconds(1));
    assertEquals(List.of("give"), process.calls);
    process.roomBytes = 1L << 30;
    idleFor(Duration.ofHours(1));
    assertEquals(List.of("give"), process.calls, "it rests");
  }

  @Test
  void whoIsAtWorkKeepsItsRoom() {
    for (int i = 0; i < 100; i++) {
      work();
      idleFor(Duration.ofSeconds(58));
    }
    assertEquals(List.of(), process.calls);
  }

  @Test
  void withTheFirstWorkTheHeapGetsItsRoomAndAMinuteAfterTheLastItIsTakenAgain() {
    idleFor(Duration.ofMinutes(5));
    work();
    assertEquals(List.of("give", "take"), process.calls);
    process.roomBytes = 1L << 30;
    work();
    idleFor(Duration.ofSeconds(59));
    assertEquals(List.of("give", "take"), process.calls);
    idleFor(Duration.ofSeconds(1));
    assertEquals(List.of("give", "take", "give"), process.calls);
  }

  @Test
  void littleRoomIsLeftAlone() {
    process.roomBytes = IdleMemory.MIN_ROOM_BYTES - 1;
    idleFor(Duration.ofHours(1));
    work();
    assertEquals(List.of(), process.calls);
  }

  @Test
  void littleRoomThatHasGrownIsGivenBack() {
    process.roomBytes = IdleMemory.MIN_ROOM_BYTES - 1;
    idleFor(Duration.ofHours(1));
    process.roomBytes = IdleMemory.MIN_ROOM_BYTES;
    idleFor(IdleMemory.IDLE);
    assertEquals(List.of("give"), process.calls);
  }

  @Test
  void workThatComesWhileRoomIsGivenBackEndsThatAndTakesItAgain() {
    process.workWhileGiving = true;
    idleFor(Duration.ofMinutes(1));
    assertEquals(List.of("give", "stopped", "take"), process.calls);
    idleFor(Duration.ofSeconds(59));
    assertEquals(List.of("give", "stopped", "take"), process.calls, "not yet again");
  }

  /** If the thread runs late, what was allocated meanwhile is divided by the longer time. */
  @Test
  void workIsWhatIsAllocatedInASecond() {
    for (int i = 0; i < 6; i++) {
      process.allocatedBytes += 10 * HEARTBEATS;
      step(STEP.multipliedBy(10));
    }
    assertEquals(List.of("give"), process.calls);
  }

  private void work() {
    process.allocatedBytes += IdleMemory.WORK_BYTES_PER_S + 1;
    step(STEP);
  }

  private void idleFor(Duration duration) {
    for (long i = 0; i < duration.dividedBy(STEP); i++) {
      process.allocatedBytes += HEARTBEATS;
      step(STEP);
    }
  }

  private void step(Duration duration) {
    time.advance(duration.toNanos());
    var _ = idle.doWork();
  }

  private static final class Memory implements ProcessMemory {
    private final List<String> calls = new ArrayList<>();
    private long allocatedBytes = 1L << 40;
    private long roomBytes = 1L << 30;
    private boolean workWhileGiving;

    @Override
    public long allocatedBytes() {
      return allocatedBytes;
    }

    @Override
    public long roomBytes() {
      return roomBytes;
    }

    @Override
    public void giveBack(BooleanSupplier atWork) {
      calls.add("give");
      if (workWhileGiving) {
        allocatedBytes += 2 * IdleMemory.WORK_BYTES_PER_S;
      }
      if (atWork.getAsBoolean()) {
        calls.add("stopped");
      }
      roomBytes = 0;
    }

    @Override
    public void takeRoom() {
      calls.add("take");
    }
  }
}
