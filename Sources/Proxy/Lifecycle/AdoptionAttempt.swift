import Adoption
import Authorization

/// What is needed to exchange the token of a former issuer for a session when the response comes.
struct AdoptionAttempt {
    let request: AdoptionRequest
    let caller: Caller
    let way: RefreshDeliveryWay
}
