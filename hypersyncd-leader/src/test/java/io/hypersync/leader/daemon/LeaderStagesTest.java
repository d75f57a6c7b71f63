package io.hypersync.leader.daemon;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.fixtures.StageFigures;
import io.hypersync.leader.sequencer.IntentTimestamps;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import org.junit.jupiter.api.Test;

/** Which part of an intent's time belongs to which stage; times are in microseconds. */
class LeaderStagesTest {
  private static final IntentId INTENT = new IntentId(new ClientId(1, 1), 1);

  private final ManualClock clock = new ManualClock();
  private final LeaderStages stages = new LeaderStages(clock);

  @Test
  void eachStageEndsWhereTheNextBegins() {
    IntentTimestamps times = new IntentTimestamps(us(100));
    times.complete(us(400));
    times.sequenced(us(500), us(520));
    clock.set(us(1_020));
    stages.durable();
    clock.set(us(1_100));
    stages.committed(INTENT, times);
    expect("upload", 1, 300, 0.3);
    expect("queue", 1, 100, 0.1);
    expect("sequence", 1, 20, 0.02);
    expect("sync", 1, 500, 0.5);
    expect("ack", 1, 80, 0.08);
    expect("total", 1, 1_000, 1);
  }

  @Test
  void whatCameWithAllItsBytesIsNotCountedAsUploaded() {
    IntentTimestamps times = new IntentTimestamps(us(100));
    times.sequenced(us(100), us(100));
    clock.set(us(200));
    stages.durable();
    stages.committed(INTENT, times);
    expect("upload", 0, 0, 0);
    expect("queue", 1, 0, 0);
    expect("sync", 1, 100, 1);
  }

  /** The agent may run only after the next batch was durable, too, or see an older batch's time. */
  @Test
  void theSyncEndsBetweenTheSequencerAndTheAck() {
    IntentTimestamps times = new IntentTimestamps(us(100));
    times.sequenced(us(100), us(100));
    clock.set(us(50));
    stages.durable(); // of the batch before
    clock.set(us(200));
    stages.committed(INTENT, times);
    expect("sync", 1, 0, 0);
    expect("ack", 1, 100, 1);
  }

  private void expect(String stage, long count, double us, double share) {
    StageFigures.assertStage(stages.sinceStart(), stage, count, us, share);
  }

  private static long us(long micros) {
    return 1_000 * micros;
  }
}
