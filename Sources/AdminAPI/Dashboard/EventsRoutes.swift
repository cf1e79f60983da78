import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// `/api/events` of the admin listener.
struct EventsRoutes: Sendable {
    private let feed: ReportFeed

    init(_ feed: ReportFeed) {
        self.feed = feed
    }

    func add(to router: Router<AdminContext>) {
        router.get("/api/events") { request, _ -> Response in
            let tenant = try request.adminQuery(["tenant"])["tenant"]
            guard let events = await feed.watch(tenant) else {
                throw AdminProblem(.tooManyStreams, "the maximum number of dashboards is open; close one and try again")
            }
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                // The stream does not end by itself: otherwise a shutdown would wait for it.
                body: .init(asyncSequence: events.cancelOnGracefulShutdown())
            )
        }
    }
}
