package io.hypersync.sim.check;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the agents of a process that has several have one owner at a time, and that nothing
 * is lost between two owners. What goes wrong in a task is remembered, because the product logs the
 * exceptions of tasks and goes on.
 */
public final class OwnerChecker {
  private final Set<Object> refused = new LinkedHashSet<>();
  private final Map<Object, ArrayDeque<Object>> onTheWay = new LinkedHashMap<>();
  private @Nullable Thread owner;
  private int depth;
  private @Nullable Throwable failure;

  /** Runs a part of an agent; what it throws is remembered for {@link #check}. */
  public void run(Runnable part) {
    Thread now = Thread.currentThread();
    Thread before = owner;
    try {
      Violation.unless(
          before == null || before.equals(now), "two threads own the agents at the same time");
      owner = now;
      depth++;
      part.run();
    } catch (RuntimeException | Error e) {
      failed(e);
      throw e;
    } finally {
      if (now.equals(owner)) {
        depth = Math.max(0, depth - 1);
        owner = depth == 0 ? before : now;
      }
    }
  }

  /** Whether a part of an agent is running. */
  public boolean isRunning() {
    return depth > 0;
  }

  /** A call is run; {@code within} is whether that happens within a part of an agent. */
  public void calls(boolean within) {
    Violation.unless(!within, "a caller runs the agents while they run");
  }

  /** Something has failed where nobody hears of it. */
  public void failed(Throwable why) {
    if (failure == null) {
      failure = why;
    }
  }

  /** A caller has found this stream full, because callers send nothing on it. */
  public void refused(Object stream) {
    refused.add(stream);
  }

  /** Whether this stream was refused, and nobody has looked since. */
  public boolean isRefused(Object stream) {
    return refused.contains(stream);
  }

  /** The agent was told of the stream, or it is full in fact, or has ended. */
  public void settled(Object stream) {
    refused.remove(stream);
  }

  /** The network is used. */
  public void network(boolean byCaller) {
    Violation.unless(!byCaller, "a caller uses the network, which is its thread's alone");
  }

  /** The leader's agent sends this to another host. */
  public void sending(Object session, Object message) {
    onTheWay.computeIfAbsent(session, _ -> new ArrayDeque<>()).addLast(message);
  }

  /** The network gets a message, which must be the next one. */
  public void sent(Object session, Object message) {
    ArrayDeque<Object> waiting = onTheWay.get(session);
    Object next = waiting == null ? null : waiting.pollFirst();
    Violation.unless(
        message.equals(next), "the network gets ", message, " of ", session, " before ", next);
  }

  /** A session over the network has ended. */
  public void ended(Object session) {
    onTheWay.remove(session);
  }

  /** Another process has begun. */
  public void began() {
    refused.clear();
    onTheWay.clear();
    owner = null;
    depth = 0;
  }

  /** Home has had its turn as the owner. */
  public void homeWasOwner() {
    Violation.unless(
        refused.isEmpty(), "nobody has told the leader that it may send again: ", refused);
  }

  /** A caller has given the agents back; {@code isWoken} is whether home is about to run. */
  public void gaveBack(boolean hasLeftSomething, boolean isWoken) {
    Violation.unless(
        !hasLeftSomething || isWoken, "a caller leaves something for home and wakes nobody");
  }

  /** Throws what has failed; to be called after each step. */
  public void check() {
    switch (failure) {
      case null -> {
        // all is well
      }
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }
}
