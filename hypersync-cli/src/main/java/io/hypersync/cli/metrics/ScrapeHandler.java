package io.hypersync.cli.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.hypersync.runtime.agent.Clock;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers scrapes, each on a thread of its own. */
final class ScrapeHandler implements HttpHandler {
  static final String PATH = "/metrics";

  private static final Logger LOG = LoggerFactory.getLogger(ScrapeHandler.class);
  private static final double NANOSECONDS = 1e-9;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int FAILED = 500;
  private static final int BUSY = 503;
  private static final int NO_BODY = -1;
  private static final MetricMetadata AGE =
      new MetricMetadata(
          "hypersync_metrics_age_seconds",
          "How old what is shown is; -1 if the daemon has not answered yet.");

  private final RecentFigures<List<MetricSnapshot>> figures;
  private final Clock clock;
  private final RecentPages<Format> pages;

  /** How an answer is written. Query strings change nothing, or there could be any number. */
  private record Format(boolean isOpenMetrics, boolean isZipped) {
    /** Made at the first scrape, so that no start is held up. */
    private static final ExpositionFormats FORMATS = ExpositionFormats.init();

    static Format wanted(HttpExchange exchange) {
      return new Format(
          FORMATS.getOpenMetricsTextFormatWriter().accepts(header(exchange, "Accept")),
          header(exchange, "Accept-Encoding").contains("gzip"));
    }

    ExpositionFormatWriter writer() {
      return isOpenMetrics
          ? FORMATS.getOpenMetricsTextFormatWriter()
          : FORMATS.getPrometheusTextFormatWriter();
    }

    private static String header(HttpExchange exchange, String name) {
      String value = exchange.getRequestHeaders().getFirst(name);
      return value == null ? "" : value;
    }
  }

  ScrapeHandler(RecentFigures<List<MetricSnapshot>> figures, Clock clock) {
    this.figures = figures;
    this.clock = clock;
    this.pages = new RecentPages<>(this::page, clock);
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
      } else if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        exchange.sendResponseHeaders(METHOD_NOT_ALLOWED, NO_BODY);
      } else {
        show(exchange, method.equals("GET"));
      }
    }
  }

  private void show(HttpExchange exchange, boolean hasBody) throws IOException {
    Format format = Format.wanted(exchange);
    Optional<byte[]> page;
    try {
      page = pages.get(format);
    } catch (RuntimeException failure) {
      LOG.debug("metrics cannot be shown", failure);
      exchange.sendResponseHeaders(FAILED, NO_BODY);
      return;
    }
    if (page.isEmpty()) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      exchange.sendResponseHeaders(BUSY, NO_BODY);
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", format.writer().getContentType());
    if (format.isZipped()) {
      exchange.getResponseHeaders().set("Content-Encoding", "gzip");
    }
    if (hasBody) {
      exchange.sendResponseHeaders(OK, page.get().length);
      exchange.getResponseBody().write(page.get());
    } else {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(page.get().length));
      exchange.sendResponseHeaders(OK, NO_BODY);
    }
  }

  private RecentPages.Page page(Format format) {
    RecentFigures.Aged<List<MetricSnapshot>> known = figures.get();
    long freshNs = RecentFigures.FRESH.toNanos();
    // Those of a daemon that is too busy to answer are shown anew twice a second, too.
    boolean isFresh = known.ageNs() >= 0 && known.ageNs() < freshNs;
    long untilNs = clock.monotonicNs() + freshNs - (isFresh ? known.ageNs() : 0);
    List<MetricSnapshot> all = new ArrayList<>(known.value());
    all.addAll(ProcessFigures.read());
    double age = known.ageNs() < 0 ? -1 : known.ageNs() * NANOSECONDS;
    all.add(new GaugeSnapshot(AGE, List.of(new GaugeDataPointSnapshot(age, Labels.EMPTY, null))));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = format.isZipped() ? new GZIPOutputStream(bytes) : bytes) {
      format.writer().write(out, new MetricSnapshots(all), EscapingScheme.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return new RecentPages.Page(bytes.toByteArray(), untilNs);
  }
}
