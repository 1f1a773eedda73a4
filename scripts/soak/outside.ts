/** External services of a soak test: a webhook receiver, and a website. */

export const outside_host = "127.0.0.2";

/** The addresses of the services, and what they have received. */
export interface Outside {
  /** The number of deliveries per message, by `webhook-id`. */
  readonly posts: ReadonlyMap<string, number>;
  readonly receiver_url: string;
  readonly site_url: string;
}

/** The receiver refuses three in ten, by `random`, which returns numbers from 0 to 1. */
export function startOutside(random: () => number): Outside {
  const posts = new Map<string, number>();
  const receiver = Bun.serve({
    hostname: outside_host,
    port: 0,
    fetch(request) {
      const id = request.headers.get("webhook-id")!;
      posts.set(id, (posts.get(id) ?? 0) + 1);
      return new Response(null, { status: random() < 0.3 ? 500 : 204 });
    },
  });
  const site = Bun.serve({
    hostname: outside_host,
    port: 0,
    fetch: async ({ url }) => {
      await Bun.sleep(random() * 50);
      const { pathname } = new URL(url);
      return pathname === "/robots.txt"
        ? new Response(null, { status: 404 })
        : new Response(`<main><p>The page ${pathname} tells of kettles.</p></main>`, {
            headers: { "content-type": "text/html" },
          });
    },
  });
  return {
    posts,
    receiver_url: `http://${outside_host}:${receiver.port}`,
    site_url: `http://${outside_host}:${site.port}`,
  };
}
