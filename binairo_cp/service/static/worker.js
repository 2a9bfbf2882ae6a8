// The service worker: it keeps one version of the page, so that the page opens without the server. The
// server writes VERSION, FILES and LATER above. Requests to the API go to the network and are never stored.

const PREFIX = `binairo:${self.registration.scope}:`;
const CACHE = PREFIX + VERSION;
const PATIENCE = 3; // seconds to wait for the server's page, if there is one in the cache
const absolute = (path) => new URL(path, self.registration.scope).href;
const PAGE = absolute("./");
const KEPT = new Set(["manifest.webmanifest", ...FILES].map(absolute));
const SOLVER = new Set(LATER.map(absolute)); // kept when it is used for the first time

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(replace()));
self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const isPage = mode === "navigate" && url.split(/[?#]/)[0] === PAGE;
  if (method !== "GET") return;
  if (isPage) event.respondWith(page(event.request));
  else if (KEPT.has(url) || SOLVER.has(url)) event.respondWith(kept(event.request));
});

async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll([new Request(PAGE, { cache: "no-cache" }), ...KEPT]);
}

// The new version takes over when no tab has the old one, so a page never gets files of another version.
async function replace() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

const inCache = async (url) => (await caches.open(CACHE)).match(url);

async function kept(request) {
  const found = await inCache(request.url);
  if (found) return found;
  const response = await fetch(request);
  if (SOLVER.has(request.url) && response.ok) await (await caches.open(CACHE)).put(request, response.clone());
  return response;
}

// The page of the server, which may be newer. If the server is away, slow or failing, the one in the cache.
async function page(request) {
  const cached = await inCache(PAGE);
  if (!cached) return fetch(request);
  const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE * 1000, cached); });
  const fresh = fetch(request).then((response) => (response.ok ? response : cached), () => cached);
  return Promise.race([fresh, late]);
}
