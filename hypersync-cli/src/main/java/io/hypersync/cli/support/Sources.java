package io.hypersync.cli.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Version;
import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Setting;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.doctor.Doctor;
import io.hypersync.cli.doctor.Finding;
import io.hypersync.cli.doctor.RunningDaemons;
import io.hypersync.runtime.admin.AdminClient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/** What goes into the archive. */
final class Sources {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Path PROC = Path.of("/proc");

  /** So many daemons of a host. */
  private static final int MOST_DAEMONS = 32;

  /** Of each log. */
  private static final int LOG_BYTES = 1 << 20;

  private static final int JOURNAL_LINES = 3_000;

  /** Between two looks at metrics. */
  private static final Duration BETWEEN = Duration.ofSeconds(3);

  /** It waits for each daemon that hangs, one after the other. */
  private static final Duration DOCTOR_LIMIT = Duration.ofSeconds(60);

  /** A status, the time between, and the page: each may take as long as it may. */
  private static final Duration SECOND_LOOK_LIMIT = Duration.ofSeconds(20);

  private final Map<Path, String> silent = new ConcurrentHashMap<>();
  private final Daemons daemons;
  private final Map<String, String> environment;
  private final boolean withLogs;
  private final List<Source> all = new ArrayList<>();

  private Sources(Daemons daemons, Map<String, String> environment, boolean withLogs) {
    this.daemons = daemons;
    this.environment = environment;
    this.withLogs = withLogs;
  }

  /**
   * All of them, in the order in which they are asked.
   *
   * @param withLogs whether logs are wanted
   */
  static List<Source> of(Daemons daemons, Map<String, String> environment, boolean withLogs) {
    Sources sources = new Sources(daemons, environment, withLogs);
    sources.host();
    int number = 0;
    for (Path socket : daemons.sockets()) {
      if (number == MOST_DAEMONS) {
        break;
      }
      sources.daemon(socket, ++number);
    }
    return List.copyOf(sources.all);
  }

  private void add(String file, String about, Callable<String> text) {
    all.add(new Source(file, about, text));
  }

  private void host() {
    add("version.json", "of this command", () -> Version.json().toPrettyString());
    add("java.txt", "the JVM of this command", Sources::java);
    add("kernel.txt", "version of the kernel, processors, memory, load", Sources::kernel);
    add(
        "mountinfo.txt",
        "mounts, as the kernel lists them",
        () -> Redaction.text(read(PROC.resolve("self/mountinfo"))));
    add("sockets.txt", "admin sockets of daemons", this::sockets);
    all.add(new Source("doctor.json", "what hypersync doctor finds", DOCTOR_LIMIT, this::doctor));
    if (withLogs) {
      add("journal.txt", "the end of the journal of hypersync's units", Sources::journal);
    }
  }

  private void daemon(Path socket, int number) {
    String folder = "daemon-" + number + "/";
    add(folder + "status.json", "of " + socket, () -> asked(socket, "status"));
    add(folder + "threads.json", "what its threads are doing", () -> asked(socket, "threads"));
    if (socket.getFileName().toString().startsWith("standby")) {
      return;
    }
    add(folder + "stages.json", "where the time of changes goes", () -> asked(socket, "stages"));
    add(folder + "metrics-1.txt", "its metrics", () -> metrics(socket, Duration.ZERO));
    all.add(
        new Source(
            folder + "metrics-2.txt",
            "the same, three seconds later",
            SECOND_LOOK_LIMIT,
            () -> metrics(socket, BETWEEN)));
    add(
        folder + "settings.txt",
        "what its file and --set say, without texts",
        () -> settings(socket));
    add(folder + "disk.txt", "room of the disks of its state", () -> disks(socket));
    if (withLogs) {
      add(folder + "log.txt", "the end of the file that it logs to", () -> log(socket));
    }
  }

  /** Asks a daemon, unless it has not answered before: one that hangs costs its limit once. */
  private JsonNode answer(Path socket, String command) throws IOException {
    String known = silent.get(socket);
    if (known != null) {
      throw new IOException(known);
    }
    AdminClient.Reply reply = new AdminClient(socket, LIMIT).ask(command);
    if (reply instanceof AdminClient.Reply.Result(JsonNode value)) {
      return value;
    }
    if (reply instanceof AdminClient.Reply.Refused refused) {
      throw new IOException(refused.error().message());
    }
    String why =
        reply instanceof AdminClient.Reply.Unresponsive(String reason)
            ? "the daemon does not answer: " + reason
            : "the daemon has ended";
    silent.put(socket, why);
    throw new IOException(why);
  }

  private String asked(Path socket, String command) throws IOException {
    return Redaction.json(answer(socket, command)).toPrettyString();
  }

  private long pid(Path socket) throws IOException {
    return answer(socket, "status").path("pid").asLong();
  }

  /** As Prometheus gets them; nothing of an agent or a file is in there. */
  private String metrics(Path socket, Duration wait) throws IOException, InterruptedException {
    JsonNode where = answer(socket, "status").path("metrics");
    if (!where.isTextual()) {
      throw new IOException("it shows no metrics, or those of its process are with the leader's");
    }
    Thread.sleep(wait);
    return Redaction.text(MetricsPage.get(where.textValue(), LIMIT));
  }

  /** Numbers, switches and choices as they are; of a text only whether there is one. */
  private String settings(Path socket) throws IOException {
    return "# What the file and --set of the daemon say now. Other flags and the environment\n"
        + "# are over that, and a change of the file may wait for a reload or a restart.\n"
        + text(RunningDaemons.configurationOnDisk(pid(socket)));
  }

  static String text(Configuration configuration) {
    StringBuilder text = new StringBuilder();
    for (Setting<?> setting : Settings.all()) {
      text.append(setting.key())
          .append(" = ")
          .append(harmless(configuration, setting))
          .append('\n');
    }
    return text.toString();
  }

  private static String harmless(Configuration configuration, Setting<?> setting) {
    Object value = configuration.find(setting).orElse(null);
    return switch (value) {
      case null -> "not set";
      case Boolean each -> each.toString();
      case Number each -> each.toString();
      case Duration each -> each.toString();
      case Enum<?> each -> each.name().toLowerCase(Locale.ROOT);
      default -> configuration.isSet(setting) ? "[set, left out]" : "[as by default]";
    };
  }

  private String disks(Path socket) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path directory : RunningDaemons.stateDirs(pid(socket))) {
      FileStore disk = Files.getFileStore(directory);
      text.append(directory)
          .append(": ")
          .append(disk.type())
          .append(", ")
          .append(disk.getUsableSpace())
          .append(" of ")
          .append(disk.getTotalSpace())
          .append(" bytes free\n");
    }
    return Redaction.text(text.toString());
  }

  /** Standard output and error of a daemon, if they are files. */
  private String log(Path socket) throws IOException {
    return logOf(PROC.resolve(Long.toString(pid(socket))).resolve("fd"));
  }

  /**
   * The end of what a process writes its log to. Its descriptors are opened themselves: by name the
   * file may be another one, in another mount namespace or after a rotation.
   */
  static String logOf(Path descriptors) throws IOException {
    Set<Object> seen = new HashSet<>();
    StringBuilder text = new StringBuilder();
    for (String number : List.of("1", "2")) {
      Path file = descriptors.resolve(number);
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (attributes.isRegularFile() && seen.add(attributes.fileKey())) {
        text.append(tail(file));
      }
    }
    if (seen.isEmpty()) {
      throw new IOException("it logs to no file: see journal.txt, or where it was started");
    }
    return Redaction.text(text.toString());
  }

  private static String tail(Path file) throws IOException {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long from = Math.max(0, log.length() - LOG_BYTES);
      log.seek(from);
      byte[] bytes = new byte[(int) Math.min(LOG_BYTES, log.length() - from)];
      log.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static String journal() throws IOException, InterruptedException {
    if (!Files.isDirectory(Path.of("/run/systemd/system"))) {
      throw new IOException("systemd does not run here");
    }
    Process process =
        new ProcessBuilder(
                "journalctl",
                "--no-pager",
                "-q",
                "-o",
                "short-iso",
                "-n",
                Integer.toString(JOURNAL_LINES),
                "-u",
                "hypersync-*")
            .redirectErrorStream(true)
            .start();
    try {
      byte[] said = process.getInputStream().readNBytes(2 * LOG_BYTES);
      return Redaction.text(new String(said, StandardCharsets.UTF_8));
    } finally {
      process.destroy();
    }
  }

  private String sockets() {
    StringBuilder text = new StringBuilder();
    daemons.sockets().forEach(socket -> text.append(socket).append('\n'));
    return text.toString();
  }

  private String doctor() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode findings = json.putArray("findings");
    for (Finding each : Doctor.examine(daemons, environment)) {
      findings.add(each.json());
    }
    return Redaction.text(json.toPrettyString());
  }

  private static String java() {
    StringBuilder text = new StringBuilder();
    for (String name :
        List.of("java.version", "java.vendor", "java.vm.version", "os.version", "os.arch")) {
      text.append(name).append(' ').append(System.getProperty(name)).append('\n');
    }
    return text.toString();
  }

  private static String kernel() throws IOException {
    return read(PROC.resolve("version"))
        + "processors "
        + Runtime.getRuntime().availableProcessors()
        + "\nload "
        + read(PROC.resolve("loadavg"))
        + read(PROC.resolve("meminfo"));
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
