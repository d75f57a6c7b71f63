package io.hypersync.leader.mail;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/** Requests to Agent Mail's server, JSON-RPC 2.0. Both of its servers need no session for them. */
public final class RpcRequests {
  private RpcRequests() {}

  /** A call of a tool. */
  public static byte[] tool(long id, String name, ObjectNode arguments) {
    ObjectNode params = JsonNodeFactory.instance.objectNode().put("name", name);
    params.set("arguments", arguments);
    return request(id, "tools/call", params);
  }

  /** A read of a resource. */
  public static byte[] resource(long id, String uri) {
    return request(id, "resources/read", JsonNodeFactory.instance.objectNode().put("uri", uri));
  }

  private static byte[] request(long id, String method, ObjectNode params) {
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", method);
    request.set("params", params);
    return request.toString().getBytes(StandardCharsets.UTF_8);
  }
}
