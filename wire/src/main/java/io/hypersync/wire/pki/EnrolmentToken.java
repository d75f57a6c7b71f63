package io.hypersync.wire.pki;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.text.HostPorts;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Everything that a new worker needs to join, as one text file:
 *
 * <pre>
 * hypersync-enrolment: 1
 * workspace: 0123456789abcdef0123456789abcdef
 * leader: host.example:7433        a line for each address at which it may be, 1 to 8
 * worker: build-3
 * -----BEGIN CERTIFICATE-----      the authority
 * -----BEGIN CERTIFICATE-----      the worker
 * -----BEGIN PRIVATE KEY-----      the worker's key
 * </pre>
 *
 * <p>The file is a secret: whoever has it can connect as that worker.
 *
 * @param workspace the workspace to join
 * @param leaders host names or IPs, and UDP ports, where the leader may be; unresolved; 1 to {@link
 *     #MAX_LEADERS}
 * @param worker the worker id, also the subject of the certificate
 * @param identity the worker's certificate and key, and the authority that it trusts
 */
public record EnrolmentToken(
    WorkspaceId workspace, List<InetSocketAddress> leaders, WorkerId worker, Identity identity) {
  /** How many addresses a leader may have. */
  public static final int MAX_LEADERS = 8;

  private static final String VERSION_KEY = "hypersync-enrolment";
  private static final String VERSION = "1";
  private static final String WORKSPACE_KEY = "workspace";
  private static final String LEADER_KEY = "leader";
  private static final String WORKER_KEY = "worker";
  private static final int MAX_PORT = 65535;

  /** Checks the number of addresses. */
  public EnrolmentToken {
    leaders = List.copyOf(leaders);
    if (leaders.isEmpty() || leaders.size() > MAX_LEADERS) {
      throw new IllegalArgumentException(leaders.size() + " addresses");
    }
  }

  /** Issues a new certificate for a worker; earlier ones stay valid. */
  public static EnrolmentToken issue(
      WorkspaceAuthority authority, InetSocketAddress leader, WorkerId worker) {
    return issue(authority, List.of(leader), worker);
  }

  /** The same, for a leader that may be at several addresses. */
  public static EnrolmentToken issue(
      WorkspaceAuthority authority, List<InetSocketAddress> leaders, WorkerId worker) {
    return new EnrolmentToken(
        authority.workspace(), leaders, worker, authority.issueWorker(worker));
  }

  /**
   * Reads and checks a token file.
   *
   * @throws PkiException if it cannot be read, or as {@link #parse}
   */
  public static EnrolmentToken read(Path file) throws PkiException {
    return parse(PemFiles.readText(file), file.toString());
  }

  /**
   * Parses and checks the text of a token file.
   *
   * @param where how error messages name the text, such as its path
   * @throws PkiException if something is missing or malformed, or if the parts do not belong
   *     together
   */
  public static EnrolmentToken parse(String text, String where) throws PkiException {
    Map<String, String> fields = fields(text);
    String version = fields.get(VERSION_KEY);
    if (version == null) {
      throw new PkiException(
          where + " is no HyperSync enrolment: it has no line \"" + VERSION_KEY + ": 1\"");
    }
    if (!version.equals(VERSION)) {
      throw new PkiException(
          where + " is an enrolment of version " + version + "; this program reads " + VERSION);
    }
    WorkspaceId workspace;
    WorkerId worker;
    try {
      workspace = WorkspaceId.parse(field(fields, WORKSPACE_KEY, where));
      worker = new WorkerId(field(fields, WORKER_KEY, where));
    } catch (IllegalArgumentException e) {
      throw new PkiException(where + ": " + e.getMessage(), e);
    }
    List<InetSocketAddress> leaders = leaders(text, field(fields, LEADER_KEY, where), where);
    Identity identity = identity(Pem.parse(text, where), where);
    try {
      WorkerId named =
          PeerCertificates.verifyWorker(
              new X509Certificate[] {identity.cert()}, identity.caCert(), workspace);
      if (!named.equals(worker)) {
        throw new PkiException(where + ": the certificate is for worker " + named);
      }
    } catch (CertificateException e) {
      throw new PkiException(where + ": " + e.getMessage(), e);
    }
    return new EnrolmentToken(workspace, leaders, worker, identity);
  }

  /**
   * Writes the token file with mode 0600, durably; an existing one is replaced.
   *
   * @throws PkiException if that fails
   */
  public void write(Path file) throws PkiException {
    PemFiles.write(file, toText());
  }

  /** The text of the token file, which contains the private key. */
  public String toText() {
    return "# Enrolment of one worker. Keep it secret: whoever has this file is that worker.\n"
        + line(VERSION_KEY, VERSION)
        + line(WORKSPACE_KEY, workspace.toString())
        + leaders.stream()
            .map(leader -> line(LEADER_KEY, HostPorts.of(leader)))
            .collect(Collectors.joining())
        + line(WORKER_KEY, worker.name())
        + Pem.of(identity.caCert()).toText()
        + Pem.of(identity.cert()).toText()
        + Pem.of(identity.key()).toText();
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "EnrolmentToken[" + worker + " of " + workspace + " at " + leaders + "]";
  }

  private static String line(String key, String value) {
    return key + ": " + value + "\n";
  }

  /** The key-value lines before the first PEM block. */
  private static Map<String, String> fields(String text) {
    Map<String, String> fields = new HashMap<>();
    for (String line : text.lines().takeWhile(line -> !line.startsWith("-----")).toList()) {
      int colon = line.indexOf(':');
      if (colon > 0 && !line.startsWith("#")) {
        fields.put(line.substring(0, colon).strip(), line.substring(colon + 1).strip());
      }
    }
    return fields;
  }

  private static List<InetSocketAddress> leaders(String text, String last, String where)
      throws PkiException {
    List<InetSocketAddress> leaders = new ArrayList<>();
    for (String line : text.lines().takeWhile(each -> !each.startsWith("-----")).toList()) {
      if (line.strip().startsWith(LEADER_KEY + ":")) {
        leaders.add(address(line.substring(line.indexOf(':') + 1).strip(), where));
      }
    }
    if (leaders.isEmpty()) {
      return List.of(address(last, where));
    }
    if (leaders.size() > MAX_LEADERS) {
      throw new PkiException(where + " has more than " + MAX_LEADERS + " addresses of the leader");
    }
    return leaders;
  }

  private static String field(Map<String, String> fields, String key, String where)
      throws PkiException {
    String value = fields.get(key);
    if (value == null || value.isEmpty()) {
      throw new PkiException(where + " has no line \"" + key + ": ...\"");
    }
    return value;
  }

  private static InetSocketAddress address(String text, String where) throws PkiException {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      host = "";
    }
    int port = -1;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException e) {
      // Reported below, with the whole text.
    }
    if (host.isEmpty() || port < 1 || port > MAX_PORT) {
      throw new PkiException(
          where + ": leader is \"" + text + "\", expected host:port or [IPv6]:port");
    }
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static Identity identity(List<Pem> blocks, String where) throws PkiException {
    if (blocks.size() != 3) {
      throw new PkiException(
          where
              + " has "
              + blocks.size()
              + " PEM blocks, expected three: authority, worker, private key");
    }
    X509Certificate authority = blocks.get(0).toCertificate(where);
    X509Certificate cert = blocks.get(1).toCertificate(where);
    PrivateKey key = blocks.get(2).toKey(where);
    Identity identity = new Identity(authority, cert, key);
    identity.check(where);
    return identity;
  }
}
