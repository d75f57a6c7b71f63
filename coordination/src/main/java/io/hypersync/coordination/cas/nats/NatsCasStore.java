package io.hypersync.coordination.cas.nats;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.CasStore;
import io.nats.client.AuthenticationException;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.KeyValue;
import io.nats.client.KeyValueOptions;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StorageType;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in a bucket of NATS JetStream. A revision is the number of the message in the bucket's
 * stream, so it grows with every write, also over the removal of a key; it begins again if the
 * bucket is removed and made anew.
 *
 * <p>It connects with the first call, and again when the connection is gone. Nothing is kept for a
 * server that is away: a call fails at once then.
 *
 * <p>It reads from the leader of the stream. What the client library reads may come from any
 * replica, so it may be older than the last write.
 */
public final class NatsCasStore implements CasStore, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NatsCasStore.class);

  private static final int NO_STREAM = 10_059;
  private static final int NO_MESSAGE = 10_037;
  private static final int WRONG_LAST_SEQUENCE = 10_071;
  private static final int WRONG_LAST_SEQUENCE_CONSTANT = 10_164;
  private static final Duration RECONNECT_PAUSE = Duration.ofMillis(200);

  /** What NATS allows in a key, and no wildcard. */
  private static final Pattern KEY = Pattern.compile("[-/_=a-zA-Z0-9]+(\\.[-/_=a-zA-Z0-9]+)*");

  private static final Pattern BUCKET = Pattern.compile("[-_a-zA-Z0-9]+");
  private static final Pattern REMOVED = Pattern.compile("KV-Operation: ?(DEL|PURGE)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final NatsOptions options;
  private final ReentrantLock connecting = new ReentrantLock();
  private @Nullable Connection connection; // guarded by connecting

  /**
   * A store; nothing is asked yet.
   *
   * @throws IllegalArgumentException if NATS has no bucket of this name
   */
  public NatsCasStore(NatsOptions options) {
    if (!BUCKET.matcher(options.bucket()).matches()) {
      throw new IllegalArgumentException(
          "a bucket's name has letters, digits, - and _ only: " + options.bucket());
    }
    this.options = options;
  }

  /** Whether NATS allows this key. */
  public static boolean isKey(String key) {
    return KEY.matcher(key).matches();
  }

  /** The servers and the bucket, without passwords. */
  public String name() {
    return shownServers() + " bucket " + options.bucket();
  }

  @Override
  public Optional<CasRecord> read(String key) throws CasException {
    Connection there = connected();
    JsonNode answer = ask(there, key);
    JsonNode error = answer.path("error");
    if (error.path("err_code").asInt() == NO_STREAM) {
      if (!options.createBucket()) {
        throw noBucket();
      }
      create(there);
      return Optional.empty();
    }
    if (error.path("err_code").asInt() == NO_MESSAGE) {
      return Optional.empty();
    }
    if (!error.isMissingNode()) {
      throw refused(error.path("code").asInt(), error.path("description").asText());
    }
    JsonNode message = answer.path("message");
    if (message.path("seq").asLong() <= 0) { // else it would look like a record that is free
      throw new CasException("the NATS server has answered with garbage", "");
    }
    String headers =
        new String(decoded(message.path("hdrs").asText()), StandardCharsets.ISO_8859_1);
    if (REMOVED.matcher(headers).find()) {
      return Optional.empty();
    }
    byte[] value = decoded(message.path("data").asText());
    if (value.length > MAX_VALUE_BYTES) {
      throw new CasException(
          "the record " + key + " has " + value.length + " bytes, and nothing here writes so many",
          "Another program uses the key.");
    }
    return Optional.of(new CasRecord(value, message.path("seq").asLong()));
  }

  private static byte[] decoded(String base64) throws CasException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException garbage) {
      throw new CasException("the NATS server has answered with garbage", "");
    }
  }

  private JsonNode ask(Connection there, String key) throws CasException {
    String subject = "$JS.API.STREAM.MSG.GET.KV_" + options.bucket();
    String wanted =
        JsonNodeFactory.instance
            .objectNode()
            .put("last_by_subj", "$KV." + options.bucket() + "." + key)
            .toString();
    CompletableFuture<Message> future =
        there.request(subject, wanted.getBytes(StandardCharsets.UTF_8));
    try {
      return JSON.readTree(future.get(options.limit().toNanos(), TimeUnit.NANOSECONDS).getData());
    } catch (TimeoutException _) {
      throw silent();
    } catch (CancellationException | ExecutionException _) {
      // Nobody listens to what JetStream listens to.
      throw noJetStream();
    } catch (IOException garbage) {
      throw new CasException("the NATS server has answered with garbage", "");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw silent();
    } finally {
      var _ = future.cancel(true);
    }
  }

  @Override
  public Optional<Long> create(String key, byte[] value) throws CasException {
    checkSize(value);
    return written(bucket -> bucket.create(key, value));
  }

  @Override
  public Optional<Long> update(String key, byte[] value, long revision) throws CasException {
    checkSize(value);
    return written(bucket -> bucket.update(key, value, revision));
  }

  private static void checkSize(byte[] value) {
    if (value.length > MAX_VALUE_BYTES) {
      throw new IllegalArgumentException("a value has " + MAX_VALUE_BYTES + " bytes at most");
    }
  }

  /** A write; returns the revision. */
  private interface Write {
    long into(KeyValue bucket) throws IOException, JetStreamApiException;
  }

  private Optional<Long> written(Write write) throws CasException {
    Connection there = connected();
    try {
      KeyValue bucket =
          there.keyValue(
              options.bucket(),
              KeyValueOptions.builder()
                  .jetStreamOptions(
                      JetStreamOptions.builder().requestTimeout(options.limit()).build())
                  .build());
      return Optional.of(write.into(bucket));
    } catch (JetStreamApiException refusal) {
      int code = refusal.getApiErrorCode();
      if (code == WRONG_LAST_SEQUENCE || code == WRONG_LAST_SEQUENCE_CONSTANT) {
        return Optional.empty();
      }
      if (code == NO_STREAM) {
        throw noBucket();
      }
      throw refused(refusal.getErrorCode(), String.valueOf(refusal.getErrorDescription()));
    } catch (IOException | IllegalStateException failure) {
      LOG.debug("a write was not answered", failure);
      throw silent();
    }
  }

  private void create(Connection there) throws CasException {
    try {
      var _ =
          there
              .keyValueManagement(
                  KeyValueOptions.builder()
                      .jetStreamOptions(
                          JetStreamOptions.builder().requestTimeout(options.limit()).build())
                      .build())
              .create(
                  KeyValueConfiguration.builder(options.bucket())
                      .description("Locks of HyperSync")
                      .maxHistoryPerKey(1)
                      .maximumValueSize(MAX_VALUE_BYTES)
                      .storageType(StorageType.File)
                      .build());
      LOG.info("has made the bucket {}", options.bucket());
    } catch (JetStreamApiException refusal) {
      throw refused(refusal.getErrorCode(), String.valueOf(refusal.getErrorDescription()));
    } catch (IOException failure) {
      LOG.debug("the bucket could not be made", failure);
      throw silent();
    }
  }

  private Connection connected() throws CasException {
    try {
      if (!connecting.tryLock(options.limit().toNanos(), TimeUnit.NANOSECONDS)) {
        throw gone("it is being tried");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw gone("interrupted");
    }
    try {
      Connection there = connection;
      if (there == null || there.getStatus() == Connection.Status.CLOSED) {
        there = connect();
        connection = there;
      }
      if (there.getStatus() != Connection.Status.CONNECTED) {
        String why = String.valueOf(there.getLastError());
        if (why.contains("Authorization")) {
          throw denied();
        }
        throw gone("");
      }
      return there;
    } finally {
      connecting.unlock();
    }
  }

  private Connection connect() throws CasException {
    Options.Builder builder =
        Options.builder()
            .servers(options.servers().toArray(String[]::new))
            .connectionName("hypersync putex")
            .connectionTimeout(options.limit())
            .socketWriteTimeout(options.limit().plus(Duration.ofSeconds(1)))
            .maxReconnects(-1)
            .reconnectWait(RECONNECT_PAUSE)
            .reconnectBufferSize(0) // a write that waits there would be done some time later
            .pingInterval(options.limit().multipliedBy(2))
            .maxPingsOut(2)
            .errorListener(new ErrorListener() {});
    options.credentials().ifPresent(file -> builder.authHandler(Nats.credentials(file.toString())));
    try {
      return Nats.connect(builder.build());
    } catch (AuthenticationException _) {
      throw denied();
    } catch (IOException failure) {
      LOG.debug("no connection", failure);
      throw gone("");
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw gone("interrupted");
    } catch (IllegalStateException | IllegalArgumentException failure) {
      throw new CasException(
          "the NATS client does not start: " + failure.getMessage(),
          "Look at the addresses, and at the file of credentials.");
    }
  }

  private CasException gone(String why) {
    return new CasException(
        "no NATS server can be reached at "
            + shownServers()
            + (why.isEmpty() ? "" : " (" + why + ")"),
        "Is it running, and is the address right?");
  }

  private CasException denied() {
    return new CasException(
        "the NATS server at " + shownServers() + " does not accept the credentials",
        "They are in the address (nats://user:password@host:4222), or in the file of --credentials.");
  }

  private CasException silent() {
    return new CasException(
        "the NATS server at "
            + shownServers()
            + " has not answered within "
            + options.limit().toMillis()
            + " ms",
        "");
  }

  private CasException noJetStream() {
    return new CasException(
        "the NATS server at " + shownServers() + " has no JetStream, where buckets are",
        "Start it with -js, or with jetstream in its configuration.");
  }

  private CasException noBucket() {
    return new CasException(
        "there is no bucket " + options.bucket() + " at " + shownServers(),
        "Make it (nats kv add " + options.bucket() + "), or give --create-bucket.");
  }

  private CasException refused(int code, String why) {
    return code == 503
        ? noJetStream()
        : new CasException("the NATS server refuses: " + why + " (" + code + ")", "");
  }

  private String shownServers() {
    return options.servers().stream().map(NatsCasStore::shown).collect(Collectors.joining(","));
  }

  /** An address without what is secret in it. */
  private static String shown(String server) {
    try {
      URI uri = URI.create(server);
      return uri.getScheme()
          + "://"
          + uri.getHost()
          + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
    } catch (IllegalArgumentException _) {
      return "(not an address)";
    }
  }

  /** Ends the connection. */
  @Override
  public void close() {
    connecting.lock();
    try {
      Connection there = connection;
      if (there != null) {
        there.close();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      connecting.unlock();
    }
  }
}
