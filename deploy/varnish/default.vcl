vcl 4.1;

# A shared cache in front of Palimpsest. The nodes need SHARED_CACHE_SECONDS, PURGE_URL=http://<this cache>/.purge, PURGE_HEADER_FILE and
# this cache in TRUSTED_PROXIES. Needs the package varnish-modules (xkey). docs/scaling.md says what is purged and what expires.
import std;
import xkey;

backend default {
  .host = "127.0.0.1";
  .port = "8080";
  # A purge is repeated 5 s after the first one: no answer that was requested before it may arrive later.
  .first_byte_timeout = 5s;
  .probe = { .url = "/ready"; .interval = 1s; .timeout = 2s; }
}

# The addresses of the nodes that purge. A TLS proxy on this machine has such an address too, so a purge also needs the secret.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.url == "/.purge") {
    # The file has the line "Purge-Secret: <at least 16 characters>", as PURGE_HEADER_FILE of the nodes.
    if (req.method != "POST" || client.ip !~ purgers || req.http.Purge-Secret !~ "^[!-~]{16,}$"
        || "Purge-Secret: " + req.http.Purge-Secret != regsub(std.fileread("/etc/varnish/purge-header"), "\s+$", "")) {
      return (synth(403));
    }
    set req.http.X-Purged = xkey.purge(req.http.Surrogate-Key);
    return (synth(204));
  }
  unset req.http.Cookie;
  # What depends on a token, a position or a place in a stream goes to a node.
  if ((req.method != "GET" && req.method != "HEAD") || req.http.X-Actor-Token || req.http.Authorization
      || req.http.Min-Sequence || req.http.Last-Event-ID || req.url ~ "/stream(\?|$)") {
    return (pass);
  }
  return (hash);
}

sub vcl_backend_response {
  # Withdrawn texts are never served as stale ones.
  set beresp.grace = 0s;
  if (bereq.uncacheable) {
    return (deliver);
  }
  if (beresp.status == 200 && beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1") + "s", 0s);
    set beresp.http.xkey = beresp.http.Surrogate-Key;
    # An expired answer is revalidated by its ETag.
    set beresp.keep = 1h;
    # These fields are about the one client that was first.
    unset beresp.http.RateLimit;
    unset beresp.http.RateLimit-Policy;
    unset beresp.http.X-Request-Id;
    return (deliver);
  }
  if (beresp.http.Cache-Control ~ "no-cache|no-store|private") {
    set beresp.ttl = 10s;
    set beresp.uncacheable = true;
  }
  return (deliver);
}

sub vcl_deliver {
  set resp.http.X-Cache = "MISS";
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  }
  # Fields for this cache only.
  unset resp.http.xkey;
  unset resp.http.Surrogate-Key;
  unset resp.http.Surrogate-Control;
  unset resp.http.Cache-Tag;
  unset resp.http.CDN-Cache-Control;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
}
