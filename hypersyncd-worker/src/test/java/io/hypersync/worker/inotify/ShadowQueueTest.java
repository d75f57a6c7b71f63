package io.hypersync.worker.inotify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which calls wait, which are merged, and which are dropped. */
class ShadowQueueTest {
  private static final FsState STATE = FsState.genesis();
  private static final Node NODE = Objects.requireNonNull(STATE.node(FsState.ROOT));
  private static final NameInDirectory PLACE = new NameInDirectory(new InodeNo(2), Name.of("f"));

  private final ShadowQueue queue = new ShadowQueue(3);

  @Test
  void equalEventsInARowAreMerged() {
    ShadowJob first = touch(true);
    offer(first, touch(true), touch(false), touch(true), touch(true));
    assertEquals(2, queue.merged());
    assertSame(first, queue.poll());
  }

  @Test
  void namesAreNeverMerged() {
    ShadowJob make = job(new ShadowCall.Make(PLACE, false));
    offer(make, make);
    assertEquals(0, queue.merged());
  }

  @Test
  void whatHasBeenTakenOutIsNotMergedWith() {
    offer(touch(true));
    queue.poll();
    offer(touch(true));
    assertEquals(0, queue.merged());
    assertTrue(queue.poll() != null);
    assertNull(queue.poll());
  }

  @Test
  void whatThereIsNoRoomForIsCounted() {
    ShadowJob make = job(new ShadowCall.Make(PLACE, false));
    offer(make, make, make);
    assertFalse(queue.offer(make));
    assertEquals(1, queue.dropped());
  }

  private void offer(ShadowJob... jobs) {
    for (ShadowJob job : jobs) {
      assertTrue(queue.offer(job));
    }
  }

  private static ShadowJob touch(boolean content) {
    return job(new ShadowCall.Touch(PLACE, NODE, content));
  }

  private static ShadowJob job(ShadowCall call) {
    return new ShadowJob(call, STATE, STATE);
  }
}
