#ifndef GATEHOUSE_CEPOLL_SHIM_H
#define GATEHOUSE_CEPOLL_SHIM_H

// Glibc's module for Swift has neither of the first two, and what glibc declares for _GNU_SOURCE alone is missing there.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <pthread.h>
#include <sys/socket.h>

extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// EPOLLET is imported with another type than the rest of its enum; these have one.
static const unsigned int gatehouse_epoll_readable = EPOLLIN;
static const unsigned int gatehouse_epoll_writable = EPOLLOUT;
static const unsigned int gatehouse_epoll_edge = EPOLLET;
// The peer sends no more (EPOLLRDHUP), or the connection is over or broken.
static const unsigned int gatehouse_epoll_ending = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
static const unsigned int gatehouse_epoll_peer_closed = EPOLLRDHUP;

static inline int gatehouse_epoll_add(int epoll, int descriptor, unsigned int events, unsigned long long key) {
    struct epoll_event event = {.events = events, .data = {.u64 = key}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int gatehouse_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0);
}

#endif
