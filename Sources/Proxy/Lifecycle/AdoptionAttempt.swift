import Adoption
import Authorization

/// What is needed to exchange the token of a former issuer for a session when the response comes. Every request may lead
/// to that, and few do: an object costs the others less than a value.
final class AdoptionAttempt {
    let request: AdoptionRequest
    let caller: Caller
    let way: RefreshDeliveryWay

    init(request: AdoptionRequest, caller: Caller, way: RefreshDeliveryWay) {
        self.request = request
        self.caller = caller
        self.way = way
    }
}
