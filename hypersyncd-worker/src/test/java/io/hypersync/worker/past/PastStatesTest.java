package io.hypersync.worker.past;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.hypersync.model.hash.Hash;
import io.hypersync.wire.message.LeaderMessage.PastState;
import io.hypersync.wire.message.LeaderMessage.PastStateRefused;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.PastStateRelease;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.past.PastStates.Answer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker asks the leader of its past, and gives back (hypersync.md 13). */
class PastStatesTest {
  private static final byte[] MANIFEST = {1};

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final PastStates pasts = new PastStates(link, 100);
  private final List<Answer> answers = new ArrayList<>();

  @Test
  void aStateIsGivenBackWithItsLastMount() {
    pasts.welcomed(true);
    mount(7, 101);
    mount(7, 102);
    assertEquals(1, pasts.manifests().size());
    pasts.release(7);
    assertEquals(1, pasts.manifests().size());
    pasts.release(7);
    assertEquals(new PastStateRelease(7), link.sent(WorkerMessage.class).getLast());
    assertEquals(0, pasts.manifests().size());
  }

  @Test
  void afterAReconnectItIsAskedForAgain() {
    pasts.welcomed(true);
    mount(7, 101);
    pasts.leaderLost();
    pasts.welcomed(true);
    assertEquals(new PastStateRequest(102, "7"), link.sent(WorkerMessage.class).getLast());
    pasts.found(new PastState(102, 7, Hash.ZERO, MANIFEST));
    pasts.refused(new PastStateRefused(103, "gone", "")); // is logged
    assertEquals(1, pasts.manifests().size());
    assertEquals(1, answers.size());
  }

  @Test
  void whoWaitsIsToldWhenTheLeaderIsLost() {
    pasts.welcomed(true);
    pasts.ask("2h", true, answers::add);
    pasts.leaderLost();
    assertInstanceOf(Answer.Refused.class, answers.getFirst());
    pasts.found(new PastState(101, 7, Hash.ZERO, MANIFEST));
    assertEquals(
        new PastStateRelease(7),
        link.sent(WorkerMessage.class).getLast(),
        "nobody wants it any more");
  }

  @Test
  void nothingIsAskedOfALeaderThatIsAwayOrKnowsNoPast() {
    pasts.ask("2h", false, answers::add);
    pasts.welcomed(false);
    pasts.ask("2h", true, answers::add);
    assertEquals(2, answers.size());
    assertEquals(List.of(), link.sent(WorkerMessage.class));
  }

  private void mount(long index, long request) {
    pasts.ask(Long.toString(index), true, answers::add);
    assertEquals(
        new PastStateRequest(request, Long.toString(index)),
        link.sent(WorkerMessage.class).getLast());
    pasts.found(new PastState(request, index, Hash.ZERO, MANIFEST));
    assertInstanceOf(Answer.Found.class, answers.getLast());
  }
}
