package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.certificates.CertificateTable;
import io.hypersync.leader.certificates.CertificateTable.Row;
import io.hypersync.leader.certificates.Certificates.StandbyKnowledge;
import io.hypersync.leader.certificates.KnownCertificate;
import io.hypersync.leader.certificates.RevocationList;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.agent.Periodic;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.pki.Expiry;
import io.hypersync.wire.pki.IssuedCertificates;
import io.hypersync.wire.pki.PkiException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers which certificates there are, and revokes them, with the keys of {@code docs/json.md}.
 * Stores what workers have shown, and warns of the end of certificates, on a thread of its own.
 *
 * <p>A revocation is durable before the agent hears of it, and the agent has ended the connections
 * before it is answered. A crash in between leaves one that counts from the next start on, and was
 * never said to be done. One at a time, so that none is lost between reading the list and writing
 * it: nobody else writes it while this process leads.
 */
final class CertificateRequests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateRequests.class);
  private static final long NS_PER_MS = 1_000_000;
  private static final long SECOND_MS = 1_000;
  private static final int MAX_SHOWN = 100;

  /** How long an answer waits for standbys to have it on their disks. */
  private static final long STANDBYS_MS = 2_000;

  private static final long STEP_MS = 20;

  /** What workers have shown is stored once in so many seconds. */
  private static final int STORE_EVERY = 60;

  private final LeaderDaemonOptions options;
  private final AgentQueries<LeaderAgent> questions;
  private final Clock clock;
  private final @Nullable WorkerId mount;
  private final CertificateFacts leader;
  private final CertificateFacts authority;
  private final Periodic periodic;
  private final Expiry expiry = new Expiry();
  private final Object storing = new Object();
  private volatile Figures figures = new Figures(0, List.of());
  private int seconds;

  /** What was found last of all certificates. */
  private record Figures(int revocations, List<Row> ending) {}

  /**
   * Begins with nothing under way.
   *
   * @param mount the worker in this process; null if there is none
   */
  CertificateRequests(
      LeaderDaemonOptions options,
      AgentQueries<LeaderAgent> questions,
      @Nullable WorkerId mount,
      Clock clock) {
    this.options = options;
    this.questions = questions;
    this.mount = mount;
    this.clock = clock;
    this.leader = CertificateFacts.of(options.identity().cert());
    this.authority = CertificateFacts.of(options.identity().caCert());
    this.periodic = new Periodic("leader-certificates", "the leader", this::second);
  }

  /** Begins to store and to warn. */
  void start() {
    periodic.start();
  }

  @Override
  public void close() {
    periodic.close();
    try {
      List<KnownCertificate> last = questions.ask(agent -> agent.certificates().known());
      if (!last.isEmpty()) {
        store(last); // when those that are connected were seen
      }
    } catch (UserError | RejectedExecutionException stopped) {
      LOG.debug("when workers were seen last is not stored: {}", stopped.getMessage());
    }
  }

  private void store(List<KnownCertificate> known) {
    synchronized (storing) {
      CertificateFile.write(options.stateDir(), known);
    }
  }

  private record Seen(
      List<KnownCertificate> known,
      Set<String> connected,
      RevocationList revoked,
      List<StandbyKnowledge> standbys) {}

  private Seen seen() {
    return questions.ask(
        agent ->
            new Seen(
                agent.certificates().known(),
                agent.certificates().connectedSerials(),
                agent.certificates().revocations(),
                agent.certificates().knowledge()));
  }

  private CertificateTable table(Seen seen) {
    List<IssuedCertificates.Issued> issued;
    try {
      issued = IssuedCertificates.read(options.authorityDir());
    } catch (PkiException e) {
      LOG.warn("{}", e.getMessage());
      issued = List.of();
    }
    return CertificateTable.of(leader, issued, seen.known(), seen.connected(), seen.revoked());
  }

  /**
   * Carries out a request.
   *
   * @param args {@code do}: {@code list}, or {@code revoke} with {@code name}, a worker or a serial
   *     number, and perhaps {@code reason} and {@code force}
   * @throws UserError for wrong arguments, and if a revocation cannot be stored
   */
  ObjectNode run(JsonNode args) {
    return switch (args.path("do").asText()) {
      case "list" -> list();
      case "revoke" ->
          revoke(
              args.path("name").asText(),
              args.path("reason").asText(""),
              args.path("force").asBoolean());
      default ->
          throw new UserError("certs: expected list or revoke", "See --help.", UserError.USAGE);
    };
  }

  private ObjectNode list() {
    Seen seen = seen();
    long nowMs = nowMs();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("authority_not_after", time(authority.notAfterMs()));
    ArrayNode rows = json.putArray("certificates");
    CertificateTable table = table(seen);
    table.rows().forEach(row -> rows.add(json(row, nowMs)));
    ArrayNode revoked = json.putArray("revocations");
    seen.revoked().all().forEach(each -> revoked.add(json(each)));
    json.set("standbys", standbys(seen.standbys(), table));
    return json;
  }

  private static ObjectNode json(Row row, long nowMs) {
    CertificateFacts facts = row.facts();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("serial", facts.serial());
    json.put("worker_id", row.worker().map(WorkerId::name).orElse(null));
    json.put("kind", row.kind().text());
    json.put("issued_at", time(facts.issuedMs()));
    json.put("not_before", time(facts.notBeforeMs()));
    json.put("not_after", time(facts.notAfterMs()));
    json.put("expires_in_ms", facts.notAfterMs() - nowMs);
    json.put("last_seen", row.seenMs() == 0 ? null : time(row.seenMs()));
    json.put("connected", row.isConnected());
    Revocation revoked = row.revoked();
    json.put("revoked_at", revoked == null ? null : time(revoked.atMs()));
    json.put("reason", revoked == null ? null : Printable.line(revoked.reason()));
    return json;
  }

  private static ObjectNode json(Revocation each) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("worker_id", each.worker().name())
        .put("serial", each.isOfAll() ? null : each.serial())
        .put("revoked_at", time(each.atMs()))
        .put("reason", Printable.line(each.reason()));
  }

  /** Those that are connected, and those that were and are away: they are told when they come. */
  private static ArrayNode standbys(List<StandbyKnowledge> connected, CertificateTable table) {
    Map<WorkerId, Boolean> all = new TreeMap<>(Comparator.comparing(WorkerId::name));
    for (Row row : table.rows()) {
      if (row.kind() == CertificateTable.Kind.STANDBY && row.revoked() == null) {
        row.worker().ifPresent(worker -> all.put(worker, false));
      }
    }
    connected.forEach(each -> all.put(each.standby(), each.isUpToDate()));
    ArrayNode json = JsonNodeFactory.instance.arrayNode();
    all.forEach(
        (standby, told) ->
            json.addObject().put("worker_id", standby.name()).put("told", (boolean) told));
    return json;
  }

  private synchronized ObjectNode revoke(String name, String reason, boolean isForced) {
    String shown = reason(reason);
    Seen before = seen();
    CertificateTable table = table(before);
    Revocation row = row(name, shown, table, isForced);
    RevocationList longer = before.revoked().revoking(row, table.of(row.worker()));
    if (longer == null) {
      throw new UserError(
          "nothing more can be revoked: there are "
              + before.revoked().all().size()
              + " revocations, of at most "
              + Revocation.MAX
              + (row.isOfAll()
                  ? "; each certificate that was issued later than this clock says needs its own"
                  : ""),
          "Make another workspace from a backup (./hypersync init --from): it has another"
              + " authority, so that no old certificate is of use.");
    }
    RevokedFile.write(options.stateDir(), longer);
    List<WorkerId> cut = questions.ask(agent -> agent.revoked(longer, row));
    LOG.warn(
        "revoked: {} of worker {}, {} rows; {} connections were ended",
        row.isOfAll() ? "all certificates" : "certificate " + row.serial(),
        row.worker(),
        longer.all().size() - before.revoked().all().size(),
        cut.size());
    ObjectNode json = json(row);
    var _ = look();
    json.put("connections_ended", cut.size());
    json.set("standbys", standbys(awaitStandbys(), table));
    awaitNextSecond(row.atMs());
    return json;
  }

  /**
   * A reason as it is kept and shown.
   *
   * @throws UserError if it is too long so: what is escaped takes more characters
   */
  static String reason(String given) {
    String shown = Printable.line(given);
    if (shown.length() > Revocation.MAX_REASON) {
      throw new UserError(
          "a reason has at most " + Revocation.MAX_REASON + " characters",
          "This one has "
              + shown.length()
              + (shown.equals(given) ? "." : ", since some of them are written as escapes."),
          UserError.USAGE);
    }
    return shown;
  }

  private Revocation row(String name, String reason, CertificateTable table, boolean isForced) {
    Optional<Row> single = table.withSerial(name);
    if (single.isPresent()) {
      WorkerId holder =
          single
              .get()
              .worker()
              .orElseThrow(
                  () ->
                      new UserError(
                          "that is a certificate of the leader: it cannot be revoked",
                          "Workers ask nobody before they believe it. If its key is lost to others,"
                              + " make another workspace from a backup: ./hypersync init --from"));
      refuseUnlessForced(holder, isForced);
      return new Revocation(holder, name, nowMs(), reason);
    }
    WorkerId worker;
    try {
      worker = new WorkerId(name);
    } catch (IllegalArgumentException e) {
      throw unknown(name, "");
    }
    if (!table.knows(worker) && !isForced) {
      throw unknown(name, "\n--force revokes what it may have all the same.");
    }
    refuseUnlessForced(worker, isForced);
    return new Revocation(worker, "", nowMs(), reason);
  }

  private static UserError unknown(String name, String more) {
    return new UserError(
        "no certificate of " + Printable.line(name, MAX_SHOWN) + " is known",
        "See which there are: ./hypersync certs list" + more);
  }

  private void refuseUnlessForced(WorkerId worker, boolean isForced) {
    if (isForced) {
      return;
    }
    if (worker.equals(mount)) {
      throw new UserError(
          "worker " + worker + " is the leader's own mount, which needs no certificate",
          "To end it: ./hypersync umount <dir>\n"
              + "--force revokes certificates of that name; the mount stays.");
    }
    if (options.syncStandbys().names().contains(worker)) {
      throw new UserError(
          "acknowledgements wait for standby "
              + worker
              + ": without it nothing is acknowledged, or"
              + " what is acknowledged is on one disk only",
          "Name another one in hypersync.leader.standbys first, or say --force.");
    }
  }

  private List<StandbyKnowledge> awaitStandbys() {
    long untilNs = clock.monotonicNs() + STANDBYS_MS * NS_PER_MS;
    while (true) {
      List<StandbyKnowledge> standbys = questions.ask(agent -> agent.certificates().knowledge());
      if (standbys.stream().allMatch(StandbyKnowledge::isUpToDate)
          || clock.monotonicNs() - untilNs >= 0
          || !paused(STEP_MS)) {
        return standbys;
      }
    }
  }

  /** So that a token that is made after this answer has a certificate of a later second. */
  private void awaitNextSecond(long atMs) {
    long next = (atMs / SECOND_MS + 1) * SECOND_MS;
    for (long left = next - nowMs(); left > 0 && left <= SECOND_MS; left = next - nowMs()) {
      if (!paused(left)) {
        return;
      }
    }
  }

  private static boolean paused(long ms) {
    try {
      Thread.sleep(ms);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Each second; the agent is asked once a minute. */
  private void second() {
    if (seconds++ % STORE_EVERY != 0) {
      return;
    }
    try {
      List<KnownCertificate> changed = questions.ask(agent -> agent.certificates().takeChanged());
      if (changed != null) {
        store(changed);
      }
      warn();
    } catch (UserError busy) {
      LOG.debug("certificates are not looked at: {}", busy.getMessage());
    }
  }

  private List<Row> look() {
    Seen seen = seen();
    List<Row> ending = table(seen).ending(nowMs(), Expiry.WARNING.toMillis());
    figures = new Figures(seen.revoked().all().size(), ending);
    return ending;
  }

  private void warn() {
    long nowMs = nowMs();
    List<Row> ending = look();
    boolean isAuthority = Expiry.isNear(authority, nowMs);
    if (!expiry.isDue(!ending.isEmpty() || isAuthority, nowMs)) {
      return;
    }
    if (isAuthority) {
      LOG.warn("the workspace's authority {}", Expiry.text(authority, nowMs));
    }
    ending.stream()
        .limit(MAX_SHOWN)
        .forEach(
            row ->
                LOG.warn(
                    "the certificate of {} {}", row.holder(), Expiry.text(row.facts(), nowMs)));
    LOG.warn("what to do about certificates that end: docs/certificates.md");
  }

  /**
   * For status and metrics: when the leader's certificate ends, which ones end soon, and how many
   * are revoked. Asks nobody: the last two are at most a minute old.
   */
  ObjectNode status() {
    Figures last = figures;
    long nowMs = nowMs();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("not_after", time(leader.notAfterMs()));
    json.put("expires_in_ms", leader.notAfterMs() - nowMs);
    json.put("authority_expires_in_ms", authority.notAfterMs() - nowMs);
    json.put("revocations", last.revocations());
    ArrayNode ending = json.putArray("ending");
    last.ending().stream()
        .limit(MAX_SHOWN)
        .forEach(
            row ->
                ending
                    .addObject()
                    .put("worker_id", row.worker().map(WorkerId::name).orElse(null))
                    .put("not_after", time(row.facts().notAfterMs())));
    return json;
  }

  private long nowMs() {
    return clock.epochNs() / NS_PER_MS;
  }

  private static String time(long ms) {
    return Instant.ofEpochSecond(Math.floorDiv(ms, SECOND_MS)).toString();
  }
}
