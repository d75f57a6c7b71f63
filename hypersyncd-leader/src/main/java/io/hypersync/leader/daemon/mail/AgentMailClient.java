package io.hypersync.leader.daemon.mail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.CallOutcome;
import io.hypersync.leader.mail.RpcAnswers;
import io.hypersync.leader.mail.RpcRequests;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls Agent Mail's server by HTTP. Each call ends within {@link #CALL_LIMIT}, however the server
 * behaves, and takes a bounded amount of memory. Follows no redirect, and uses no proxy: the token
 * goes to the address that is configured, and to no other. Any thread.
 */
public final class AgentMailClient implements AutoCloseable {
  private static final List<String> TOKENS = List.of("registration_token", "sender_token");
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);

  /** From the first byte of the connection to the last one of the answer. */
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  /** The longest answer to a call; a page of 250 reservations takes some 200 KiB. */
  static final long MOST_BYTES = 4L << 20;

  private final AgentMailOptions options;
  private final ExecutorService threads;
  private final HttpClient http;
  private final AtomicLong ids = new AtomicLong();

  /** Connects to nothing yet. */
  public AgentMailClient(AgentMailOptions options) {
    this.options = options;
    this.threads =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("leader-mail-http-", 0).factory());
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .executor(threads)
            .build();
  }

  /** Calls a tool; blocks. */
  CallOutcome tool(String name, ObjectNode arguments) throws InterruptedException {
    long id = ids.incrementAndGet();
    CallOutcome outcome =
        call(
            RpcRequests.tool(id, name, arguments),
            answer -> RpcAnswers.tool(answer.statusCode(), type(answer), answer.body(), id));
    return outcome instanceof CallOutcome.Refused(String why)
        ? new CallOutcome.Refused(withoutTokens(why, arguments))
        : outcome;
  }

  /** A server may say what it was given when it refuses that, and the status shows what it says. */
  private static String withoutTokens(String why, ObjectNode arguments) {
    String said = why;
    for (String key : TOKENS) {
      String token = arguments.path(key).asText();
      said = token.isEmpty() ? said : said.replace(token, "***");
    }
    return said;
  }

  /** Reads a resource; blocks. */
  CallOutcome resource(String uri) throws InterruptedException {
    long id = ids.incrementAndGet();
    return call(
        RpcRequests.resource(id, uri),
        answer -> RpcAnswers.resource(answer.statusCode(), type(answer), answer.body(), id));
  }

  /** Reads an answer. */
  @FunctionalInterface
  private interface Reader {
    CallOutcome read(HttpResponse<byte[]> answer);
  }

  private CallOutcome call(byte[] body, Reader reader) throws InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer;
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(options.url()))
              .timeout(CALL_LIMIT)
              .header("Content-Type", "application/json")
              .header("Accept", "application/json, text/event-stream")
              .POST(HttpRequest.BodyPublishers.ofByteArray(body));
      if (!options.token().isEmpty()) {
        request.header("Authorization", "Bearer " + options.token());
      }
      answer =
          http.sendAsync(
              request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
    } catch (IllegalArgumentException e) {
      return new CallOutcome.NotDone("not a URL that can be asked");
    }
    try {
      // The request's own limit ends with the head of the answer.
      return reader.read(answer.get(CALL_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return new CallOutcome.Unsure("no answer within " + CALL_LIMIT.toSeconds() + " s");
    } catch (ExecutionException e) {
      return failed(e.getCause() instanceof IOException io ? io : new IOException(e.getCause()));
    } finally {
      answer.cancel(true); // which ends what is still coming
    }
  }

  private static CallOutcome failed(IOException why) {
    return switch (why) {
      case HttpConnectTimeoutException _ ->
          new CallOutcome.NotDone("no connection within " + CONNECT_LIMIT.toSeconds() + " s");
      case ConnectException _ -> new CallOutcome.NotDone("no connection: nobody listens there");
      default -> new CallOutcome.Unsure("no answer: " + reason(why));
    };
  }

  private static String reason(IOException why) {
    String message = why.getMessage();
    return RpcAnswers.shortened(message == null ? why.getClass().getSimpleName() : message);
  }

  private static String type(HttpResponse<byte[]> answer) {
    return answer.headers().firstValue("Content-Type").orElse("no type");
  }

  /** Ends all calls. */
  @Override
  public void close() {
    http.shutdownNow();
    threads.shutdownNow();
  }
}
