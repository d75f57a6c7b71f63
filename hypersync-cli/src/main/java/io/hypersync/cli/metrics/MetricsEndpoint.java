package io.hypersync.cli.metrics;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpServer;
import io.hypersync.cli.memory.BesideWork;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.text.HostPorts;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a daemon's metrics at {@code http://<address>/metrics}, in OpenMetrics or Prometheus' text
 * format, whichever the scraper asks for (hypersync.md 16).
 *
 * <p>Threads: {@code metrics-start} binds the port, once the daemon is ready or some seconds after
 * its start, so that it does not start later. A thread for each connection writes an answer; there
 * are {@value #MAX_CONNECTIONS} connections at most, each of which has {@value #REQUEST_LIMIT_S} s
 * for a request and as many for the answer. One of them at a time makes a page ({@link
 * RecentPages}). {@code metrics-figures} asks the daemon ({@link RecentFigures}). None of them
 * reads what an agent owns: the agent itself copies its figures into a tree, between two of its
 * duties, and nobody changes that tree afterwards.
 */
public final class MetricsEndpoint implements AutoCloseable {
  static final int MAX_CONNECTIONS = 16;
  static final int REQUEST_LIMIT_S = 5;

  private static final Logger LOG = LoggerFactory.getLogger(MetricsEndpoint.class);
  private static final Duration START_LIMIT = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(2);

  static {
    // The limits of the JDK's server are properties of the process, which has no other one.
    limit("sun.net.httpserver.maxReqTime", REQUEST_LIMIT_S);
    limit("sun.net.httpserver.maxRspTime", REQUEST_LIMIT_S);
    limit("sun.net.httpserver.maxIdleConnections", MAX_CONNECTIONS / 2);
    limit("sun.net.httpserver.maxReqHeaders", 50);
    limit("sun.net.httpserver.maxReqHeaderSize", 16_384);
    limit("jdk.httpserver.maxConnections", MAX_CONNECTIONS);
  }

  private final MetricsOptions options;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService asking;
  private final ExecutorService answering;
  private final ScrapeHandler scrapes;
  private final Thread starting;
  private volatile @Nullable HttpServer server;

  private MetricsEndpoint(MetricsOptions options, Supplier<List<ObjectNode>> daemons) {
    this.options = options;
    this.asking =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("metrics-figures").daemon().factory());
    ThreadFactory connections = Thread.ofPlatform().name("metrics-", 0).daemon().factory();
    this.answering =
        Executors.newThreadPerTaskExecutor(task -> connections.newThread(BesideWork.counted(task)));
    MetricReader reader = new MetricReader(MetricTable.all());
    RecentFigures<List<MetricSnapshot>> figures =
        new RecentFigures<>(
            () -> reader.read(daemons.get()),
            task -> asking.execute(BesideWork.counted(task)),
            Clock.SYSTEM,
            List.of());
    this.scrapes = new ScrapeHandler(figures, Clock.SYSTEM);
    this.starting = Thread.ofPlatform().name("metrics-start").daemon().unstarted(this::start);
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /**
   * Begins to show the metrics of a process; returns at once. If the port cannot be had, the log
   * says so, and it is tried again: a daemon's work is worth more than its figures.
   *
   * @param daemons what {@link io.hypersync.runtime.admin.Daemon#measured} says
   */
  public static MetricsEndpoint begin(MetricsOptions options, Supplier<List<ObjectNode>> daemons) {
    MetricsEndpoint endpoint = new MetricsEndpoint(options, daemons);
    endpoint.starting.start();
    return endpoint;
  }

  /** The daemon is ready: from now on its start is not held up. */
  public void daemonIsReady() {
    ready.countDown();
  }

  /** Where the metrics are shown; empty as long as no port is bound. */
  public Optional<String> url() {
    HttpServer bound = server;
    return bound == null
        ? Optional.empty()
        : Optional.of(
            "http://"
                + HostPorts.numeric(
                    new InetSocketAddress(
                        options.address().getAddress(), bound.getAddress().getPort()))
                + ScrapeHandler.PATH);
  }

  private void start() {
    try {
      var _ = ready.await(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      boolean isTold = false;
      while (closed.getCount() > 0 && !bind(isTold)) {
        isTold = true;
        if (closed.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
      url().ifPresent(url -> LOG.info(LogEvent.METRICS.marker(), "metrics are at {}", url));
    } catch (InterruptedException closing) {
      LOG.debug("closed before a port was bound");
    }
  }

  /** Returns whether there is nothing more to try. */
  private boolean bind(boolean isTold) {
    int first = options.address().getPort();
    IOException last = null;
    for (int port = first; port < first + options.ports(); port++) {
      try {
        HttpServer bound = serve(port);
        synchronized (this) {
          server = bound;
        }
        if (closed.getCount() == 0) {
          bound.stop(0);
        }
        return true;
      } catch (BindException taken) {
        last = taken;
      } catch (IOException failure) {
        last = failure;
        break;
      }
    }
    if (!isTold) {
      LOG.warn(
          "no metrics yet: cannot listen at {}{}: {}; it is tried again. Set another one:"
              + " hypersync.metrics.address",
          HostPorts.numeric(options.address()),
          options.ports() == 1 ? "" : " or the " + (options.ports() - 1) + " ports after it",
          last == null ? "" : last.getMessage());
    }
    return false;
  }

  private HttpServer serve(int port) throws IOException {
    HttpServer made =
        HttpServer.create(
            new InetSocketAddress(options.address().getAddress(), port), MAX_CONNECTIONS);
    made.setExecutor(answering);
    HttpContext context = made.createContext(ScrapeHandler.PATH, scrapes);
    options.token().map(BearerToken::new).ifPresent(context::setAuthenticator);
    made.start();
    return made;
  }

  @Override
  public void close() {
    closed.countDown();
    ready.countDown();
    try {
      starting.join(); // a bind takes no time
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    HttpServer bound = server;
    if (bound != null) {
      bound.stop(0);
    }
    answering.shutdownNow();
    asking.shutdownNow();
  }
}
