package io.hypersync.worker.daemon.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.CallerAgent;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseRequest;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.identity.ProcessTable;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which requests wait for their caller's name, for how long, and what happens to them meanwhile.
 */
@Timeout(30)
final class WaitingForNamesTest {
  /** The first of four processes that cannot be looked at. */
  private static final int STUCK = 666;

  private static final int ONE = 0;
  private static final int ANOTHER = 1;
  private static final int PID = 4711;
  private static final int FOREIGN = 0;
  private static final long SOON_MS = 10_000;
  private static final FuseOperation CHANGE = new FuseOperation.Unlink(new byte[] {'x'});

  private final CountDownLatch unstuck = new CountDownLatch(1);
  private final Machine machine = new Machine();
  private final AgentNames names = new AgentNames(machine, "/mnt", 1_000, Clock.SYSTEM);
  private final Filesystem filesystem = new Filesystem();
  private final FuseHandler handler = names.around(filesystem);
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private long lastRequest;

  @BeforeEach
  void start() {
    names.start();
  }

  @AfterEach
  void end() {
    unstuck.countDown();
    names.close();
  }

  /** Each process N is called agent N, but reading the environments of four blocks. */
  private final class Machine implements ProcessTable {
    volatile boolean changed;

    @Override
    public Status status(int tid) {
      return new Status(tid, 1, 0);
    }

    @Override
    public byte[] environment(int process) {
      if (process >= STUCK && process < STUCK + 4) {
        boolean interrupted = false;
        while (unstuck.getCount() > 0) { // as in the kernel: nothing ends it
          try {
            unstuck.await();
          } catch (InterruptedException e) {
            interrupted = true;
          }
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
      return ("AGENT_NAME=agent " + process + "\0").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String workingDirectory(int process) {
      return "/mnt";
    }

    @Override
    public @Nullable PlainFile file(String path) {
      return null;
    }

    @Override
    public Watch watch(int tid) {
      return new Watch() {
        @Override
        public boolean isUnchanged() {
          return !changed;
        }

        @Override
        public boolean seesExec() {
          return true;
        }

        @Override
        public void close() {
          // nothing is held
        }
      };
    }
  }

  /** Takes note of who asks for what, and on which thread. */
  private static final class Filesystem implements FuseHandler {
    final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    volatile @Nullable RuntimeException failure;

    @Override
    public void handle(FuseRequest request, FuseReply reply) {
      CallerAgent agent = request.header().agent();
      heard.add(
          request.header().unique()
              + (agent.isLate() ? " by nobody in time" : " by " + agent.name()));
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
    }

    @Override
    public void interrupted(RequestId unique, int pid) {
      heard.add("interrupt of " + unique);
    }

    @Nullable String next() throws InterruptedException {
      return heard.poll(SOON_MS, TimeUnit.MILLISECONDS);
    }
  }

  private RequestId request(int pid, FuseOperation operation) {
    return request(pid, ONE, operation);
  }

  private RequestId request(int pid, int uid, FuseOperation operation) {
    RequestId unique = new RequestId(++lastRequest);
    FuseReply reply =
        (FuseReply)
            Proxy.newProxyInstance(
                FuseReply.class.getClassLoader(),
                new Class<?>[] {FuseReply.class},
                (_, method, arguments) -> {
                  answers.add(
                      unique
                          + " "
                          + method.getName()
                          + " "
                          + (arguments == null ? "" : arguments[0]));
                  return null;
                });
    handler.handle(
        new FuseRequest(
            new RequestHeader(unique, InodeNo.ROOT, uid, 0, pid, FuseOpcode.UNLINK), operation),
        reply);
    return unique;
  }

  /** The counter of the status. */
  private long count(String what) {
    return names.status().path(what).asLong();
  }

  /** A thread that passes a request on counts it after that. */
  private static void eventually(long expected, LongSupplier count) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SOON_MS);
    while (count.getAsLong() != expected && System.nanoTime() < endNs) {
      Thread.sleep(1);
    }
    assertEquals(expected, count.getAsLong());
  }

  @Test
  void aCallerIsLookedAtOnceAndThenKnown() throws Exception {
    request(PID, CHANGE);
    assertEquals("1 by agent 4711", filesystem.next());
    request(PID, CHANGE);
    assertEquals("2 by agent 4711", filesystem.heard.poll(), "on the thread of the request");
    assertEquals(1, count("looks"));
    eventually(2, () -> names.status().at("/seen/0/calls").asLong());
    assertEquals("agent 4711", names.status().at("/seen/0/agent").asText());
  }

  @Test
  void requestsThatChangeNothingGoOnAtOnceWithoutAName() {
    request(PID, new FuseOperation.Lookup(new byte[] {'x'}));
    request(PID, new FuseOperation.Open(0, 0));
    request(PID, new FuseOperation.StatFs());
    assertEquals("1 by ", filesystem.heard.poll());
    assertEquals("2 by nobody in time", filesystem.heard.poll(), "it may be anybody who reads");
    assertEquals("3 by ", filesystem.heard.poll());
    assertEquals(0, count("looks"));
  }

  @Test
  void whoIsKnownIsNamedWhenItOpensAFile() throws Exception {
    request(PID, CHANGE);
    assertEquals("1 by agent 4711", filesystem.next());
    request(PID, new FuseOperation.Open(0, 0));
    assertEquals("2 by agent 4711", filesystem.heard.poll());
    request(FOREIGN, new FuseOperation.Open(0, 0));
    assertEquals("3 by nobody in time", filesystem.heard.poll());
  }

  @Test
  void anOpenThatTruncatesChangesSomething() throws Exception {
    request(PID, new FuseOperation.Open(01001, 0));
    assertEquals("1 by agent 4711", filesystem.next());
  }

  @Test
  void whoIsInAnotherNamespaceIsNotWaitedFor() {
    request(FOREIGN, CHANGE);
    assertEquals("1 by ", filesystem.heard.poll());
    assertEquals(1, count("unknown_calls"));
  }

  @Test
  void aLookThatTakesTooLongIsNotWaitedFor() throws Exception {
    long beganNs = System.nanoTime();
    request(STUCK, CHANGE);
    assertNull(filesystem.heard.poll(), "nobody but the caller waits");
    assertEquals("1 by nobody in time", filesystem.next());
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
    assertTrue(tookMs >= 49, () -> tookMs + " ms");
    assertEquals(1, count("looks_late"));
  }

  @Test
  void whileALookTakesTooLongOthersGetTheirNames() throws Exception {
    request(STUCK, CHANGE);
    request(PID, CHANGE);
    assertEquals("2 by agent 4711", filesystem.next());
    assertEquals("1 by nobody in time", filesystem.next());
    assertEquals(1, count("looks_late"));
  }

  /** Three of the four threads are stuck, all for one user. */
  private void allButOneStuck() throws Exception {
    for (int i = 0; i < 3; i++) {
      request(STUCK + i, CHANGE);
    }
    for (int i = 0; i < 3; i++) {
      assertNotNull(filesystem.next());
    }
    Thread.sleep(
        300); // the look began a little after the request, and counts as stuck after 250 ms
    assertEquals(3, count("looks_stuck"));
  }

  @Test
  void oneUserCannotKeepOthersFromGettingNames() throws Exception {
    allButOneStuck();
    request(STUCK + 3, CHANGE);
    assertEquals("4 by nobody in time", filesystem.heard.poll(), "of the same user, at once");
    request(PID, ANOTHER, CHANGE);
    assertEquals("5 by agent 4711", filesystem.next());
  }

  @Test
  void whileAllLooksTakeTooLongNobodyWaits() throws Exception {
    request(PID, CHANGE);
    assertNotNull(filesystem.next());
    allButOneStuck();
    request(STUCK + 3, ANOTHER, CHANGE);
    assertEquals("5 by nobody in time", filesystem.next());
    Thread.sleep(60);
    request(PID + 1, ANOTHER, CHANGE);
    assertEquals("6 by nobody in time", filesystem.heard.poll());
    assertEquals(1, count("looks_refused"));
    request(PID, CHANGE);
    assertEquals("7 by agent 4711", filesystem.heard.poll(), "who is known stays so");
    unstuck.countDown();
    String name = "";
    while (!name.endsWith("agent 4712")) { // it goes on as soon as that look has ended
      request(PID + 1, CHANGE);
      name = String.valueOf(filesystem.next());
    }
  }

  @Test
  void aLookThatTakesASecondIsTold() throws Exception {
    request(STUCK, CHANGE);
    assertNotNull(filesystem.next());
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SOON_MS);
    while (count("looks_told") == 0 && System.nanoTime() < endNs) {
      Thread.sleep(10);
    }
    Thread.sleep(2_000);
    assertEquals(1, count("looks_told"), "once a minute");
  }

  @Test
  void aSignalDuringTheWaitIsReportedWhenTheFilesystemHasTheRequest() throws Exception {
    RequestId unique = request(STUCK, CHANGE);
    handler.interrupted(unique, STUCK);
    assertNull(filesystem.heard.poll());
    assertEquals("1 by nobody in time", filesystem.next());
    assertEquals("interrupt of 1", filesystem.next());
  }

  @Test
  void aSignalBeforeOrAfterItIsReportedAtOnce() throws Exception {
    RequestId unique = request(PID, CHANGE);
    assertEquals("1 by agent 4711", filesystem.next());
    handler.interrupted(unique, PID);
    assertEquals("interrupt of 1", filesystem.next());
    handler.interrupted(new RequestId(77), PID);
    assertEquals("interrupt of 77", filesystem.heard.poll());
  }

  @Test
  void aFailureOfTheFilesystemEndsTheRequestAndNothingElse() throws Exception {
    filesystem.failure = new IllegalStateException("on purpose");
    request(PID, CHANGE);
    assertEquals("1 error " + Errno.EIO, answers.poll(SOON_MS, TimeUnit.MILLISECONDS));
    filesystem.failure = null;
    machine.changed = true;
    filesystem.heard.clear();
    request(PID + 1, CHANGE);
    assertEquals("2 by ", filesystem.next(), "it changes all the time");
  }

  @Test
  void manyThatWaitAreBounded() throws Exception {
    int many = 10_000;
    for (int i = 0; i < 4; i++) {
      request(STUCK + i, i, CHANGE);
    }
    for (int i = 4; i < many; i++) {
      request(10_000 + i, CHANGE);
    }
    for (int i = 0; i < many; i++) {
      assertNotNull(filesystem.next());
    }
    assertEquals(many, count("looks_late") + count("looks_refused"));
    assertTrue(count("looks_refused") > 0, () -> names.status().toString());
  }

  @Test
  void afterTheEndRequestsGoOnWithoutAName() {
    names.close();
    request(PID, CHANGE);
    assertEquals("1 by nobody in time", filesystem.heard.poll());
  }
}
