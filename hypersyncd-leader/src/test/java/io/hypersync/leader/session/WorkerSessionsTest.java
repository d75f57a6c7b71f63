package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Heartbeat;
import io.hypersync.wire.message.LeaderMessage.LogEntries;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How the log is sent to workers (hypersync.md 12, 12.4). */
class WorkerSessionsTest {
  private static final SessionId S = new SessionId(1);
  private static final WorkerId W = new WorkerId("w1");
  private static final int WINDOW = 5;
  private static final FsOp MKDIR = new FsOp.MakeDir(new NodeId(1, 1), Name.of("d"), 0755, 0, 0);

  private final RecordingSessionPort port = new RecordingSessionPort();
  private final List<Long> reads = new ArrayList<>();
  private final TailCache tail = new TailCache(1, 60);
  private final WorkerSessions sessions =
      new WorkerSessions(port, (_, from, _) -> reads.add(from), tail, WINDOW);

  @Test
  void everyDurableEntryIsSentOnce() {
    join(0);
    append(3, 2);
    assertEquals(2, sessions.stream(2));
    assertEquals(1, sessions.stream(3));
    assertEquals(0, sessions.stream(3));
    assertEquals(List.of(1, 2, 3), entriesSent());
  }

  @Test
  void aWorkersOwnEntriesAreSentBeforeTheyAreDurableAndThoseOfOthersNot() {
    SessionId other = new SessionId(2);
    sessions.opened(other, new WorkerId("w2"), "there", 0);
    sessions.establish(Objects.requireNonNull(sessions.get(other)), 0);
    join(0);
    append(3, 0);
    sessions.sequenced(W, own(2));
    assertEquals(2, sessions.stream(0));
    assertEquals(
        List.of(new Streamed(S, 0, List.of(1, 2))), streamed(), "and what comes before its own");
    port.sent.clear();
    assertEquals(4, sessions.stream(3));
    assertEquals(
        List.of(new Streamed(other, 3, List.of(1, 2, 3)), new Streamed(S, 3, List.of(3))),
        streamed());
  }

  @Test
  void ownEntriesKeepWithinTheWindow() {
    join(0);
    append(7, 0);
    sessions.sequenced(W, own(7));
    assertEquals(WINDOW, sessions.stream(0));
  }

  @Test
  void aNewConnectionKnowsNothingOfWhatTheOldOneWasSentAhead() {
    join(0);
    append(2, 0);
    sessions.sequenced(W, own(2));
    sessions.closed(S);
    join(0);
    assertEquals(0, sessions.stream(0));
    sessions.sequenced(new WorkerId("gone"), own(2));
    assertEquals(2, sessions.stream(2));
  }

  @Test
  void aWorkerThatKeepsPayloadsGetsItsOwnEntriesWithoutThem() {
    join(0);
    session().keepsPayloads();
    byte[] payload = new byte[100];
    session().submitted(submit(2, payload));
    tail.add(Entries.of(1, MKDIR).encoded(), 0);
    LogEntry written = Entries.of(2, MKDIR).inline(payload).entry();
    tail.add(LogEntryCodec.encode(written), 0);
    sessions.sequenced(W, written);
    sessions.stream(2);
    assertEquals(List.of(false, true), withoutPayload());
  }

  @Test
  void oneThatDoesNotGetsThemWhole() {
    join(0);
    byte[] payload = new byte[100];
    session().submitted(submit(1, payload));
    LogEntry written = Entries.of(1, MKDIR).inline(payload).entry();
    tail.add(LogEntryCodec.encode(written), 0);
    sessions.sequenced(W, written);
    sessions.stream(1);
    assertEquals(List.of(false), withoutPayload());
  }

  @Test
  void onANewConnectionTheyAreWhole() {
    join(0);
    session().keepsPayloads();
    byte[] payload = new byte[100];
    session().submitted(submit(1, payload));
    sessions.closed(S);
    join(0);
    session().keepsPayloads();
    LogEntry written = Entries.of(1, MKDIR).inline(payload).entry();
    tail.add(LogEntryCodec.encode(written), 0);
    sessions.sequenced(W, written);
    sessions.stream(1);
    assertEquals(List.of(false), withoutPayload());
  }

  @Test
  void whoNeedsEntriesThatWereTrimmedIsRefused() {
    join(0);
    append(60, 60); // the first ones leave the cache
    assertEquals(0, sessions.stream(60));
    assertEquals(List.of(1L), reads);
    sessions.logTrimmed(new SessionId(77), 1, 40);
    sessions.logTrimmed(S, 1, 40);
    LeaderMessage.Refused refused = (LeaderMessage.Refused) port.sent.getLast().message();
    assertTrue(
        refused.message().contains("entry 1 is needed, and the leader's log begins at entry 40"));
    assertNull(sessions.get(S));
  }

  @Test
  void aWorkerThatHasNotSaidHelloGetsNothing() {
    sessions.opened(S, W, "here", 0);
    append(1, 1);
    assertEquals(0, sessions.stream(1));
    sessions.heartbeat(1, 1, 1);
    assertEquals(List.of(), port.sent);
  }

  @Test
  void noMoreThanAWindowAheadOfItsReport() {
    join(0);
    append(6, 6);
    sessions.stream(6);
    assertEquals(List.of(1, 2, 3, 4, 5), entriesSent());
    session().reported(new WorkerApplied(1, Hash.ZERO, false, 0, null), 0, 0);
    sessions.stream(6);
    assertEquals(List.of(1, 2, 3, 4, 5, 6), entriesSent());
  }

  @Test
  void aStreamThatIsFullWaits() {
    join(0);
    append(2, 2);
    port.writable = false;
    assertEquals(0, sessions.stream(2));
    port.writable = true;
    assertEquals(2, sessions.stream(2));
  }

  @Test
  void oldEntriesAreReadFromTheLogOnceAndThenTheTailGoesOn() {
    append(10, 10);
    join(3);
    sessions.stream(10);
    sessions.stream(10);
    assertEquals(List.of(4L), reads);
    assertEquals(List.of(), entriesSent());
    sessions.logRead(S, 4, List.of(entry(4)), 10);
    sessions.stream(10);
    assertEquals(List.of(4, 5, 6, 7, 8), entriesSent());
  }

  @Test
  void aReadThatComesTooLateIsPassedOver() {
    append(10, 10);
    join(3);
    sessions.stream(10);
    sessions.closed(S);
    sessions.logRead(S, 4, List.of(entry(4)), 10);
    assertEquals(List.of(), entriesSent());
  }

  @Test
  void aReadThatGivesNothingIsTriedAgain() {
    append(10, 10);
    join(3);
    sessions.stream(10);
    sessions.logRead(S, 4, List.of(), 10);
    sessions.stream(10);
    assertEquals(List.of(4L, 4L), reads);
  }

  @Test
  void theNewerSessionIsTheWorkers() {
    join(0);
    SessionId newer = new SessionId(2);
    sessions.opened(newer, W, "there", 0);
    sessions.establish(Objects.requireNonNull(sessions.get(newer)), 0);
    sessions.closed(S);
    assertEquals(
        newer, Objects.requireNonNull(sessions.of(W)).id(), "the old one's end is no news");
    sessions.closed(newer);
    assertNull(sessions.of(W));
  }

  @Test
  void silentSessionsAreEndedEstablishedOrNot() {
    join(0);
    sessions.opened(new SessionId(2), new WorkerId("w2"), "there", 0);
    sessions.dropSilent(2);
    sessions.dropSilent(2);
    session().heard(60);
    sessions.dropSilent(2);
    assertNotNull(sessions.get(S));
    assertNull(sessions.get(new SessionId(2)));
    assertTrue(port.closed.contains(new SessionId(2)));
    sessions.dropSilent(2);
    sessions.dropSilent(2);
    assertNull(sessions.of(W));
  }

  @Test
  void everyEstablishedSessionGetsTheHeartbeat() {
    join(0);
    sessions.heartbeat(7, 3, 11);
    assertEquals(List.of(new RecordingSessionPort.Sent(S, new Heartbeat(7, 3, 11))), port.sent);
  }

  private List<Boolean> withoutPayload() {
    return port.sent.stream()
        .flatMap(sent -> ((LogEntries) sent.message()).entries().stream())
        .map(LogEntryCodec::isWithoutPayload)
        .toList();
  }

  private static SubmitIntent submit(long number, byte[] payload) {
    return new SubmitIntent(
        Entries.of(number, MKDIR).entry().intent(), "", new byte[0], payload, List.of());
  }

  private static LogEntry own(long index) {
    return Entries.of(index, MKDIR).entry();
  }

  private void join(long applied) {
    sessions.opened(S, W, "here", 0);
    sessions.establish(session(), applied);
  }

  private WorkerSession session() {
    return Objects.requireNonNull(sessions.get(S));
  }

  private void append(int count, long durable) {
    for (int i = 1; i <= count; i++) {
      tail.add(entry(i), durable);
    }
  }

  private record Streamed(SessionId to, long commitIndex, List<Integer> entries) {}

  private List<Streamed> streamed() {
    return port.sent.stream()
        .map(
            sent -> {
              LogEntries log = (LogEntries) sent.message();
              List<Integer> entries = log.entries().stream().map(e -> (int) e[0]).toList();
              return new Streamed(sent.session(), log.commitIndex(), entries);
            })
        .toList();
  }

  private List<Integer> entriesSent() {
    return port.sent.stream()
        .filter(sent -> sent.message() instanceof LogEntries)
        .flatMap(sent -> ((LogEntries) sent.message()).entries().stream())
        .map(bytes -> (int) bytes[0])
        .toList();
  }

  private static byte[] entry(int index) {
    byte[] bytes = new byte[10];
    bytes[0] = (byte) index;
    return bytes;
  }
}
