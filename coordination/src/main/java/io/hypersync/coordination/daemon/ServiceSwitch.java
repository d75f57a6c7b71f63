package io.hypersync.coordination.daemon;

import io.hypersync.coordination.putex.Outcome;
import io.hypersync.coordination.putex.PutexTiming;
import io.hypersync.coordination.putex.Step;
import io.hypersync.runtime.agent.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops the service, by a process of its own: a dead man's switch. It has the time until
 * which the service may run, and stops it then, also if this process is stopped, killed, or hangs.
 * Each order to start has that time, so one that comes too late starts nothing.
 *
 * <p>One thread. If that process was killed, the next order makes another one; the service is
 * without a switch until then, which is less than a stroke.
 */
final class ServiceSwitch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceSwitch.class);
  private static final long NS_PER_HUNDREDTH = 10_000_000L;
  private static final long GRACE_NS = 1_000_000_000L;
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final String PROGRAM = program();

  private final Map<String, String> environment;
  private final PutexTiming timing;
  private final Clock clock;
  private final AtomicInteger expired = new AtomicInteger();
  private @Nullable Running running;
  private int lastId;

  private record Running(Process process, BlockingQueue<String> answers, Chatter output) {}

  ServiceSwitch(
      PutexScripts scripts, Map<String, String> environment, PutexTiming timing, Clock clock) {
    this.environment = new HashMap<>(environment);
    this.environment.put("PUTEX_START", scripts.start());
    this.environment.put("PUTEX_STOP", scripts.stop());
    this.environment.put("PUTEX_FENCE", scripts.fence());
    this.environment.put("PUTEX_STOP_LIMIT", Long.toString(hundredths(timing.stopLimitNs())));
    this.timing = timing;
    this.clock = clock;
  }

  /** How often it has stopped the service by itself. */
  int expired() {
    return expired.get();
  }

  Outcome start(Step.Start start) throws InterruptedException {
    lastId++;
    // The uptime first: if this process is stopped in between, the time until then comes out
    // shorter.
    long uptime = uptimeHundredths();
    long left = start.untilNs() - clock.monotonicNs();
    if (left <= 0) {
      return new Outcome.Failed("it is too late to start the service");
    }
    String order =
        "start "
            + lastId
            + ' '
            + (uptime + hundredths(left))
            + ' '
            + hundredths(start.limitNs())
            + (start.fence() ? " 1 " : " 0 ")
            + start.revision();
    return ordered(order, "starting the service", left + timing.stopLimitNs() + GRACE_NS);
  }

  Outcome stop(Step.Stop stop) throws InterruptedException {
    lastId++;
    String order = "stop " + lastId + ' ' + hundredths(stop.limitNs());
    // It may be about to stop the service by itself.
    return ordered(order, "stopping the service", 2 * stop.limitNs() + GRACE_NS);
  }

  private Outcome ordered(String order, String what, long limitNs) throws InterruptedException {
    Running now;
    try {
      now = alive();
      var _ = now.output.take();
      var stdin = now.process.getOutputStream();
      stdin.write((order + '\n').getBytes(StandardCharsets.US_ASCII));
      stdin.flush();
    } catch (IOException failure) {
      return new Outcome.Failed(what + " failed: " + failure.getMessage());
    }
    String id = Integer.toString(lastId);
    long end = System.nanoTime() + limitNs;
    while (true) {
      String answer = now.answers.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (answer == null || answer.isEmpty()) {
        now.process
            .destroyForcibly(); // what it does then, nobody knows; the next one is asked again
        return new Outcome.Failed(what + ": the switch does not answer");
      }
      String[] words = answer.split(" ", -1);
      if (words.length < 2 || !words[1].equals(id)) {
        continue; // of an order that was given up
      }
      return switch (words[0]) {
        case "late" -> new Outcome.Failed("it is too late to start the service");
        case "fenced" ->
            new Outcome.Failed(
                Failures.told("fencing, so the service is not started, and that", 1, said(now)));
        default -> {
          int code = Integer.parseInt(words[2]);
          yield code == 0
              ? new Outcome.Passed()
              : new Outcome.Failed(Failures.told(what, code, said(now)));
        }
      };
    }
  }

  private static String said(Running now) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(20); // it comes by another pipe than the answer
    return now.output.take();
  }

  private Running alive() throws IOException {
    Running now = running;
    if (now != null && now.process.isAlive()) {
      return now;
    }
    if (now != null) {
      LOG.warn("the switch of the service has ended; there is another one now");
    }
    // A session of its own: a Ctrl-C in a terminal is not for it.
    ProcessBuilder builder =
        new ProcessBuilder(List.of("setsid", "bash", "-c", PROGRAM, "putex-switch"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    Thread.ofVirtual().name("putex-switch").start(() -> listen(process, answers));
    Running made =
        new Running(process, answers, new Chatter(process.getErrorStream(), "putex-output"));
    running = made;
    return made;
  }

  /** Its answers are few and short: each is one to an order, or to the end of a time. */
  private void listen(Process process, BlockingQueue<String> answers) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("expired")) {
          expired.incrementAndGet();
          LOG.warn("the lock was not renewed in time, and the switch stopped the service");
        } else {
          answers.add(line);
        }
      }
    } catch (IOException failure) {
      LOG.debug("the switch is gone: {}", failure.getMessage());
    }
    answers.add("");
  }

  /** Ends it. It stops the service if that was not stopped. */
  @Override
  public void close() {
    Running now = running;
    if (now == null) {
      return;
    }
    try {
      now.process.getOutputStream().close();
    } catch (IOException failure) {
      LOG.debug("the switch is gone: {}", failure.getMessage());
    }
  }

  private static long hundredths(long ns) {
    return ns / NS_PER_HUNDREDTH;
  }

  private static long uptimeHundredths() {
    try {
      String uptime = Files.readString(UPTIME, StandardCharsets.US_ASCII);
      return Long.parseLong(uptime.substring(0, uptime.indexOf(' ')).replace(".", ""));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String program() {
    try (InputStream program = ServiceSwitch.class.getResourceAsStream("switch.sh")) {
      if (program == null) {
        throw new IllegalStateException("switch.sh is not in the jar");
      }
      return new String(program.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
